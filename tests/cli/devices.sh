#!/usr/bin/env bash
# Tests several devices in a rank: how they are selected and distributed, that the rows are the same, and the report.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
export POCL_DEVICES="pthread pthread pthread"
cd "$work" || exit 1

expect 0 2 devices --devices cpu,0 --json -
equal "$(field assignment.0.rank) $(field assignment.1.rank) $(field assignment.2.rank)" "0 1 1" "ranks of devices"
expect 0 2 devices --devices cpu --json -
equal "$(field assignment.0.rank) $(field assignment.1.rank)" "0 1" "ranks of the CPU device"

expect 0 1 generate rmat --scale 8 --seed 5 -o g.h5 -q
query='MATCH (a)--(b)--(c)--(a) RETURN a, b, c'
rows() { tail -n +2 "$1" | sort | md5sum; }
expect 0 1 match g.h5 "$query" --devices cpu -o one.tsv --result-buffer 50 -q
for ranks in 1 2 3; do
	expect 0 $ranks match g.h5 "$query" --on device --devices cpu,0 -o several.tsv --result-buffer 50 -q --json several.json
	equal "$(rows several.tsv)" "$(rows one.tsv)" "rows of $ranks ranks"
	"$GEMP_PYTHON" - several.json $ranks <<'END' || fail "wrong report of $ranks ranks"
import json, sys
report, ranks = json.load(open(sys.argv[1])), int(sys.argv[2])
work = report['work']
assert len(work) == 3 and sorted(w['device'] for w in work) == [0, 1, 2]
assert len({w['rank'] for w in work}) == ranks
assert sum(w['matches'] for w in work) == report['matches']
assert sum(w['launches'] for w in work) == report['launches']
assert ranks > 1 or all(w['launches'] > 0 and w['seconds'] > 0 for w in work)
assert 1 <= report['imbalance']['kernel'] <= 3
END
done
expect 0 1 match g.h5 "$query" --devices cpu,0 --count -v --exchange push --row-cache 1K
expect 0 2 match g.h5 "$query" --devices cpu,0 --count -v --replicate none --exchange push
says "only the first device of each rank works: partial matches travel"
expect 0 1 match g.h5 "$query" --devices cpu,0 --limit 7 -o few.tsv -q
equal "$(wc -l <few.tsv)" 8 "lines with a limit of 7"

# Commands that do not search use the first device of each rank and warn about the unused devices.
seq 99 -1 1 >numbers
for ranks in 1 2; do
	expect 0 $ranks sort numbers --on device -o sorted --devices cpu,0 --json one.json
	says "one device of each rank at most: of 3 devices it leaves $((3 - ranks)) alone"
	equal "$("$GEMP_PYTHON" -c 'import json; print(sum(d["ranks"] for d in json.load(open("one.json"))["devices"]))')" $ranks "devices in use"
done
expect 0 3 sort numbers --on device -o sorted --devices cpu,0
grep -q "one device of each rank" err && fail "a warning although all devices are used"

finish
