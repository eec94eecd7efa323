#!/usr/bin/env bash
# A graph file for which there is no room: one message, exit code 74, nothing left behind, and no rank that hangs.
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
for LIMIT in 9000 20000; do
	export LIMIT
	for ranks in 1 2 3; do
		GEMP_MPI=$work/limited expect 74 "$ranks" generate uniform --vertices 100000 --edges 1500000 -o "$work/g.h5"
		GEMP_MPI=$program
		says "writing failed in"
		equal "$(ls "$work" | grep -c '^g\.h5')" 0 "files left with $ranks ranks and $LIMIT KiB"
	done
done
finish
