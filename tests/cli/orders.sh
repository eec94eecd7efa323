# Tests --order, --estimate and --count-per: answers that do not depend on the order, refusals, and rows for each
# vertex.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
tsv v.tsv 'id type' 'a P' 'b P' 'c P' 'd P' 'e F'
tsv e.tsv 'src dst type' 'a b K' 'b c K' 'c a K' 'c d K' 'd e L' 'a e L'
expect 0 2 import --vertices v.tsv --edges e.tsv -o g.h5
chain='MATCH (x:P)-[:K]->(y)-[:L]->(z)'

expect 0 2 match g.h5 "$chain" --count --json -
found=$(field matches)
expect 0 2 match g.h5 "$chain" --count --order z,y,x --explain --json -
equal "$(field matches)" "$found" 'matches in another order'
equal "$(field order)" '[2, 1, 0]' 'the order'
expect 2 2 match g.h5 "$chain" --count --order x,z,y
says 'no edge joins z to a vertex before it'
expect 2 1 match g.h5 "$chain" --count --order x,y
says 'all are to be given'
expect 2 1 match g.h5 "$chain" --count --order x,x,y
says 'twice'
expect 2 1 match g.h5 "$chain" --count --order x,y,w
says "'w' is no vertex"
expect 2 1 match g.h5 'MATCH (x:P) OPTIONAL MATCH (x)-[:L]->(y) RETURN x, y' --order 0
says 'one search'

expect 0 2 match g.h5 "$chain" --estimate --json -
equal "$(field estimate.matches)" "$found.0" 'an estimate that saw everything'
equal "$(field estimate.confidence)" 1.0 'its confidence'
expect 0 1 match g.h5 --pattern triangle --estimate
grep -q '^1 match (all were visited) (orbits)' out || fail 'the text does not show the estimate'
expect 2 1 match g.h5 "$chain" --estimate --output rows.tsv
expect 2 1 match g.h5 'MATCH (x:P)-[:K]->(y) WHERE x.id + 1 = y.id RETURN x' --estimate
expect 2 2 match g.h5 'MATCH (x:P)-[:K]->(y) WHERE x.id + 1 = y.id RETURN x' --estimate --dry-run

printf 'key\tcount\na\t1\nb\t1\nc\t1\n' >triangles.tsv
for ranks in 1 3; do
	expect 0 $ranks match g.h5 --pattern triangle --count-per 0 --output - --replicate none
	cmp -s <(sort out) <(sort triangles.tsv) || { fail "wrong triangles of vertices on $ranks ranks"; cat out >&2; }
done
expect 0 1 match g.h5 "$chain" --count-per y --output rows.jsonl --json -
equal "$(field rows)" "$(wc -l <rows.jsonl | tr -d ' ')" 'rows by vertex'
expect 2 1 match g.h5 "$chain" --count-per q
says 'count-per'
expect 2 1 match g.h5 "$chain" --count-per y --count
finish
