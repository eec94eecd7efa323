#!/bin/bash
# Files in the order of partitions give the same answers with any number of ranks, whatever the sizes of the partitions.
. "${GEMP_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/harness/harness.sh"
cd "$work" || exit 1
GEMP_TEST_LIMIT=100
query="MATCH (p:Person)-[:ACTS_IN]->(m:Movie)<-[:ACTS_IN]-(q:Person) WHERE m.year > 1980
       RETURN p.name, m.name, q.name"

# rows GRAPH RANKS [OPTION...]: prints the sorted rows of the query. Keys determine which match represents a class, so
# the rows do not depend on partitions.
rows() {
	local graph=$1 ranks=$2
	shift 2
	expect 0 "$ranks" match "$graph" "$query" --distinct vertices --replicate none -o rows.tsv --quiet "$@"
	LC_ALL=C sort rows.tsv
}

expect 0 1 generate movies --films 60 --people 90 -o plain.h5 --quiet
rows plain.h5 1 >expected
[ "$(wc -l <expected)" -gt 20 ] || fail 'the query has too few rows'

expect 0 2 partition plain.h5 -k 4 --method block -o block.h5 --json -
equal "$(field method)" block method
"$GEMP_PYTHON" - <<'END' || fail 'edges lie between partitions, or blocks have unequal sizes'
import json
report = json.load(open('out'))
assert report['edge_cut'] == report['graph']['edges'] - sum(part['edges_inside'] for part in report['parts'])
assert report['part_bytes']['imbalance'] <= 1.1
END
cp out said
expect 0 3 partition block.h5 --json -
for value in method parts edge_cut vertices part_bytes; do
	equal "$(field $value)" "$(cp out now; cp said out; field $value; cp now out)" "$value of the file"
done
expect 0 1 info block.h5 --json -
equal "$(field partition.parts)" 4 'parts in info'
equal "$(field partition.method)" block 'method in info'

for how in '1 push' '2 pull' '3 push' '4 pull' '8 push'; do
	ranks=${how% *}
	rows block.h5 "$ranks" --exchange "${how#* }" >found
	cmp -s expected found || fail "wrong rows of blocks under $ranks ranks, ${how#* }"
done
expect 0 3 verify block.h5
says 'is cut into 4 parts (block), which cannot be divided among 3 ranks'

# The graph is complete, also after it is partitioned again by keys, by hashes and at random.
expect 0 1 partition block.h5 -k 3 --method random -o random.h5 --quiet
expect 0 2 convert block.h5 -o block.tsv --quiet
expect 0 1 convert plain.h5 -o plain.tsv --quiet
expect 0 1 convert random.h5 -o random.tsv --quiet
for table in vertices edges; do
	LC_ALL=C sort plain.$table.tsv >sorted
	for file in block random; do
		LC_ALL=C sort $file.$table.tsv | cmp -s - sorted || fail "wrong $table of $file.h5"
	done
done

gemp 2 partition plain.h5 -k 4 --method ptscotch -o scotch.h5 --quiet
if [ "$code" -eq 0 ]; then
	rows scotch.h5 4 >found
	cmp -s expected found || fail 'wrong rows with the partitions of PT-Scotch'
else
	equal "$code" 2 'code without PT-Scotch'
	says 'built without PT-Scotch'
fi

expect 2 1 partition plain.h5 --weight year
says '--weight is about the file that --output writes'
expect 2 1 partition plain.h5 -k 1048577
says 'parts must be from 1 to 1048576'
finish
