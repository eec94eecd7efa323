#!/usr/bin/env bash
# Processes without mpirun beside each other: none loses its session's folder to another that ends, and none leaves one behind.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
export TMPDIR=$work/sessions
mkdir "$TMPDIR"

# start NUMBER: graphs one after the other, as long as the others write theirs.
start() {
	for turn in 1 2 3 4 5 6 7 8; do
		"$GEMP_MPI" generate uniform --vertices 500 --edges 900 -o "$work/$1.h5" -q 2>>"$work/said" || echo "failed" >>"$work/said"
	done
}
for number in 1 2 3 4; do
	start $number &
done
wait
equal "$(cat "$work/said")" "" "what processes beside each other say"
equal "$(ls "$TMPDIR")" "" "folders left"
(
	trap '' XFSZ
	ulimit -f 100
	"$GEMP_MPI" generate uniform --vertices 100000 --edges 100000 -o "$work/large.h5" 2>"$work/err"
	equal $? 74 "code without room"
	says "writing failed"
	equal "$(ls "$TMPDIR")" "" "folders left by a process that fails"
	exit $failures
)
failures=$((failures + $?))
finish
