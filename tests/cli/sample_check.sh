#!/usr/bin/env bash
# Tests the comparison of a device's counts with the host's: wrong kernels are found, and right ones are not.
. "$GEMP_SOURCE_DIR/tests/harness/harness.sh"
cd "$work" || exit 1

expect 0 1 generate rmat --scale 8 --seed 5 -o g.h5 -q
cp -r "$GEMP_SOURCE_DIR/kernels" wrong
sed -i 's/if (near\[middle\] < x)/if (near[middle] + 1 < x)/' wrong/match/match.clh
sed -i 's/\*found += fits;/*found += fits \& ~1u;/' wrong/match/match.clh
cmp -s wrong/match/match.clh "$GEMP_SOURCE_DIR/kernels/match/match.clh" && fail "the kernels are right"
search() { echo match g.h5 --pattern triangle --on device --count-by enumerate "$@"; }

for ranks in 1 2 3; do
	expect 0 $ranks $(search --count --json -)
	right=$(field matches)
	[ "$(field sample_check.pivots)" -gt 10 ] && [ "$(field sample_check.matches)" -gt 0 ] || fail "no check on $ranks ranks"
	GEMP_KERNEL_DIR=wrong expect 70 $ranks $(search --count -q)
	says "so the counts of this run are wrong: pattern 'triangle'"
	says "Please report this"
	expect 0 $ranks match g.h5 --pattern triangle --on host --count-by enumerate --count --json -
	equal "$(field matches)" "$right" "matches on the host"
	"$GEMP_PYTHON" -c 'import json, sys; assert "sample_check" not in json.load(open(sys.argv[1]))' out || fail "the host is checked"
done
GEMP_KERNEL_DIR=wrong expect 70 1 $(search -o rows.tsv -q)
GEMP_KERNEL_DIR=wrong GEMP_SHAPE=states expect 70 1 $(search --count -q)
GEMP_SHAPE=nested expect 0 1 $(search --count --json -)
equal "$(field matches)" "$right" "matches by nested loops"
[ "$(field sample_check.matches)" -gt 0 ] || fail "nested loops are not checked"

# Rows that come in rounds or lie on other ranks are not checked.
expect 0 2 $(search --count --replicate none --exchange push --json -)
equal "$(field matches)" "$right" "matches with push"
"$GEMP_PYTHON" -c 'import json, sys; assert "sample_check" not in json.load(open(sys.argv[1]))' out || fail "push is checked"
finish
