#!/usr/bin/env bash
# A search is killed again and again, at random times and with varying numbers of ranks. Its rows are those of an
# uninterrupted run.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
cd "$work"
seed=${GEMP_TEST_SEED:-$RANDOM}
RANDOM=$seed
echo "GEMP_TEST_SEED=$seed"

expect 0 1 generate rmat -o g.h5 --scale 11 -q
search="g.h5 --pattern cycle:4"
expect 0 1 match $search -o plain.tsv -q
sort plain.tsv >plain

for ((i = 1; i <= 40; i++)); do
	ranks=$((1 + RANDOM % 4)) crossing=$([ $((RANDOM % 2)) = 0 ] && echo none || echo auto)
	(trap - EXIT; exec $GEMP_MPIRUN -n $ranks "$GEMP_MPI" match $search -o rows.tsv --checkpoint c --resume -q \
		--replicate $crossing --result-buffer 20000 >out 2>err) &
	pid=$!
	for ((w = 0; w < 200; w++)); do [ -e c/lock ] && break; sleep 0.05; done
	sleep $((RANDOM % 4)).$((RANDOM % 10))
	case $((RANDOM % 3)) in
	0) kill -USR2 $pid 2>/dev/null ;;
	1) kill -TERM $pid 2>/dev/null ;;
	2) for rank in $(ps -o pid= --ppid $pid); do kill -KILL "$rank" 2>/dev/null; done ;;
	esac
	wait $pid; ended=$?
	[ ! -e c/checkpoint.json ] || "$GEMP_PYTHON" -m json.tool c/checkpoint.json >/dev/null || fail "the checkpoint is damaged"
	echo "$i: $ranks ranks, --replicate $crossing: code $ended, parts $(sed -n 's/^ *"finished": "\([0-9]*\)".*/\1/p' c/checkpoint.json 2>/dev/null)"
	[ $ended -ne 0 ] || break
	[ ! -e rows.tsv ] || break # the search was complete when it was killed
done
[ -e rows.tsv ] || expect 0 2 match $search -o rows.tsv --checkpoint c --resume -q
sort rows.tsv | cmp - plain || fail "the rows differ from those of an uninterrupted run"
[ ! -e c/checkpoint.json ] || fail "the checkpoint was not removed"
finish
