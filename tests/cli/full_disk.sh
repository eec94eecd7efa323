#!/usr/bin/env bash
# A file for which there is no room: one message, exit code 74, nothing left behind, and no rank that hangs.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"

# A limit on the size of files stands for the disk; larger than what MPI keeps in files.
cat >"$work/limited" <<SHELL
#!/usr/bin/env bash
trap '' XFSZ
ulimit -f \$LIMIT
exec "$GEMP_MPI" "\$@"
SHELL
chmod +x "$work/limited"
GEMP_TEST_LIMIT=60
program=$GEMP_MPI
expect 0 1 generate uniform --vertices 100000 --edges 1500000 -o "$work/whole.h5"

# no_room RANKS ARGUMENTS...: which write to $work/g.h5.
no_room() {
	GEMP_MPI=$work/limited expect 74 "$@"
	GEMP_MPI=$program
	says "writing failed in"
	equal "$(ls "$work" | grep -c '^g\.h5')" 0 "files left by $* with $LIMIT KiB"
}

for LIMIT in 9000 20000; do
	export LIMIT
	for ranks in 1 2 3; do
		no_room "$ranks" generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
	done
done
export LIMIT=9000
# Ways of MPI to keep a shared file pointer, two of them in files beside the file; it takes them where memory fails.
for way in lockedfile individual; do
	OMPI_MCA_sharedfp=$way no_room 1 generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
	OMPI_MCA_sharedfp=$way no_room 2 generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
done
for ranks in 1 2; do
	no_room "$ranks" match "$work/whole.h5" 'MATCH (a)-[]->(b) RETURN id(a), id(b)' -o "$work/g.h5"
	no_room "$ranks" bfs "$work/whole.h5" --source 1 --into "$work/g.h5"
done
finish
