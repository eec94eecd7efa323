#!/usr/bin/env bash
# A file that does not fit on the disk gives one message and exit code 74. No file is left behind, and no rank hangs.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

# A limit on the size of files acts like a full disk. It is larger than the files that MPI keeps. The signal of the
# limit has its default action, so it would kill a program that does not ignore it.
cat >"$work/limited" <<SHELL
#!/usr/bin/env bash
ulimit -f \$LIMIT
exec env --default-signal=XFSZ "$GEMP_MPI" "\$@"
SHELL
chmod +x "$work/limited"
GEMP_TEST_LIMIT=60
program=$GEMP_MPI
expect 0 1 generate uniform --vertices 100000 --edges 1500000 -o "$work/whole.h5"

# no_room RANKS ARGUMENTS...: runs a command that writes $work/g.h5 or another file $work/g.*.
no_room() {
	GEMP_MPI=$work/limited expect 74 "$@"
	GEMP_MPI=$program
	says "writing failed"
	equal "$(grep -c 'error:' "$work/err")" 1 "errors of $*"
	equal "$(ls "$work" | grep -c '^g\.')" 0 "files left by $* with $LIMIT KiB"
}

# The second limit ends the last of the writes.
for LIMIT in 9000 $(($(stat -c %s "$work/whole.h5") / 1024 - 100)); do
	[ "$LIMIT" -ge 9000 ] || fail "the graph file fits into 9000 KiB"
	export LIMIT
	for ranks in 1 2 3; do
		no_room "$ranks" generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
	done
done
export LIMIT=9000
# MPI has several ways to keep a shared file pointer. If shared memory fails, two of these ways use additional files.
for way in lockedfile individual; do
	OMPI_MCA_sharedfp=$way no_room 1 generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
	OMPI_MCA_sharedfp=$way no_room 2 generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
done
for ranks in 1 2; do
	no_room "$ranks" match "$work/whole.h5" 'MATCH (a)-[]->(b) RETURN id(a), id(b)' -o "$work/g.tsv"
	# packed rows of HDF5 need more columns to be as long
	no_room "$ranks" match "$work/whole.h5" 'MATCH (a)-[]->(b) RETURN id(a), id(b), id(b) AS c, id(b) AS d, id(b) AS e' -o "$work/g.h5"
	no_room "$ranks" bfs "$work/whole.h5" --source 1 --into "$work/g.h5"
done

# Maps, their units, and pictures.
"$GEMP_PYTHON" - "$work" <<'PYTHON'
import sys
import h5py
import numpy
numpy.save(sys.argv[1] + "/t.npy", numpy.random.default_rng(1).random((10, 64)))
numpy.save(sys.argv[1] + "/many.npy", numpy.random.default_rng(2).random((2500000, 1)))
PYTHON
expect 0 1 som train "$work/many.npy" --size 2x2 --epochs 1 --no-quality -o "$work/small.h5"
expect 0 1 som train "$work/t.npy" --size 180x180 --epochs 1 --no-quality -o "$work/map.h5"
planes=()
for plane in 1 2 3 4 5 6 7 8 9; do
	planes+=(--show "x$plane")
done
for ranks in 1 3; do
	no_room "$ranks" som train "$work/t.npy" --size 200x200 --epochs 1 --no-quality -o "$work/g.h5"
	no_room "$ranks" som apply "$work/small.h5" "$work/many.npy" -o "$work/g.tsv"
	no_room "$ranks" som apply "$work/small.h5" "$work/many.npy" -o "$work/g.h5"
	no_room "$ranks" som draw "$work/map.h5" "${planes[@]}" -o "$work/g.svg"
done
no_room 3 som train "$work/t.npy" --size 200x200 --epochs 3 --no-quality --save-every 1 -o "$work/g.h5"
no_room 3 som train "$work/whole.h5" --features degree --size 3x3 --epochs 1 --no-quality -o "$work/m.h5" --into "$work/g.h5"
finish
