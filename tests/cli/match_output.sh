# Tests the output of matches: TSV, JSON lines, HDF5, stdout, LIMIT, the report, the summary. The same query gives the
# same bytes.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
tsv v.tsv 'id type name born:int' 'p1 Person Ann 1950' 'p2 Person Bob 1960' 'p3 Person Cy ' 'm1 Film Up 2009' 'm2 Film It 2017'
tsv e.tsv 'src dst type' 'p1 m1 ACTS_IN' 'p2 m1 ACTS_IN' 'p3 m1 ACTS_IN' 'p2 m2 ACTS_IN' 'p3 m2 ACTS_IN' 'p1 p2 KNOWS'
expect 0 2 import --vertices v.tsv --edges e.tsv -o g.h5
pairs='MATCH (a:Person)-[:ACTS_IN]->(m:Film)<-[:ACTS_IN]-(b:Person) RETURN a, b, m.name'
subgraphs='--semantics iso --distinct orbit'
printf 'a\tb\tm.name\np1\tp2\tUp\np1\tp3\tUp\np2\tp3\tIt\np2\tp3\tUp\n' >pairs.tsv

sorted() { head -n 1 "$1"; tail -n +2 "$1" | LC_ALL=C sort; }
same() { cmp -s <(sorted "$1") "$2" || { fail "$3"; sorted "$1" >&2; }; }

for ranks in 1 2 3 8; do
	expect 0 $ranks match g.h5 "$pairs" $subgraphs --output rows.tsv
	same rows.tsv pairs.tsv "TSV under $ranks ranks"
	expect 0 $ranks match g.h5 "$pairs" $subgraphs --output -
	same out pairs.tsv "stdout under $ranks ranks"
done

# by default a query has a row for each embedding, as in openCypher
expect 0 2 match g.h5 "$pairs" --output rows.tsv --json -
same rows.tsv <(head -n 1 pairs.tsv; tail -n +2 pairs.tsv | awk -F'\t' -v OFS='\t' '{ print; print $2, $1, $3 }' | LC_ALL=C sort) 'rows of openCypher'
equal "$(field semantics) $(field distinct) $(field sense)" \
	'edge-iso none edges are distinct, vertices may repeat; each embedding is a match (openCypher)' 'the sense of a query'
tsv both.tsv 'src dst type' '1 2 T' '2 1 T'
expect 0 1 import --edges both.tsv -o both.h5
expect 0 2 match both.h5 'MATCH (x)-->(y)-->(z) RETURN x, y, z ORDER BY x' --output -
equal "$(tail -n +2 out | tr '\t\n' ' ;')" '1 2 1;2 1 2;' 'a vertex may occur twice in a match'
expect 0 1 match both.h5 'MATCH (x)-->(y)-->(z) RETURN x'
grep -q '^edges are distinct, vertices may repeat; each embedding is a match (openCypher)$' out || fail 'the text does not say the sense'
expect 0 1 match both.h5 --pattern path:2 --json -
equal "$(field semantics) $(field distinct)" 'iso orbit' 'the sense of a named pattern'

# without RETURN the two persons are equivalent, so each pair occurs once, represented by the smaller key
printf 'a\tm\np1\tm1\np1\tm1\np2\tm1\np2\tm2\n' >shown.tsv
for symmetry in break hash; do
	expect 0 2 match g.h5 'MATCH (a:Person)-[:ACTS_IN]->(m:Film)<-[:ACTS_IN]-(:Person)' $subgraphs --symmetry $symmetry --output rows.tsv
	same rows.tsv shown.tsv "no RETURN, --symmetry $symmetry"
done

expect 0 2 match g.h5 "$pairs" $subgraphs --output rows.jsonl --json -
equal "$(field matches)" 4 matches
equal "$(field embeddings)" 8 embeddings
equal "$(field rows)" 4 rows
equal "$(field complete)" True complete
equal "$(field ranks)" 2 ranks
equal "$(field graph.vertices)" 5 vertices
equal "$(field graph.edges)" 6 edges
equal "$(field semantics)" iso semantics
equal "$(field distinct)" orbit distinct
for name in version command devices graph.hash query seconds.kernel.max seconds.exchange.avg launches exchange.bytes \
	exchange.messages exchange.rounds exchange.local_share memory.host memory.device; do
	field $name >/dev/null 2>&1 || fail "the report has no $name"
done
"$GEMP_PYTHON" - <<'END' || fail "wrong JSON lines"
import json
rows = [json.loads(line) for line in open('rows.jsonl', encoding='utf-8')]
wanted = [('p1', 'p2', 'Up'), ('p1', 'p3', 'Up'), ('p2', 'p3', 'It'), ('p2', 'p3', 'Up')]
assert sorted(tuple(row[c] for c in ('a', 'b', 'm.name')) for row in rows) == wanted, rows
END

expect 0 3 match g.h5 "$pairs" $subgraphs --output rows.h5
"$GEMP_PYTHON" - <<'END' || fail "wrong HDF5 rows"
import h5py
with h5py.File('rows.h5') as file:
    seen = []
    file.visititems(lambda name, thing: seen.append(name))
    assert seen, 'nothing in the file'
END

# a missing value is an empty cell, and null in JSON
expect 0 2 match g.h5 'MATCH (p:Person) RETURN p, p.born' --output born.tsv
printf 'p\tp.born\np1\t1950\np2\t1960\np3\t\n' >born.wanted
same born.tsv born.wanted "a missing value"
expect 0 2 match g.h5 'MATCH (p:Person) WHERE p.born IS NULL RETURN p, p.born' --output born.jsonl
"$GEMP_PYTHON" -c "
import json
assert [json.loads(line) for line in open('born.jsonl')] == [{'p': 'p3', 'p.born': None}]" || fail "a missing value is not null in JSON lines"

# LIMIT
for limit in "--limit 3" ""; do
	text=$pairs
	[ -n "$limit" ] || text="$pairs LIMIT 3"
	expect 0 2 match g.h5 "$text" $subgraphs $limit --output few.tsv --json -
	equal "$(field rows)" 3 "rows under LIMIT"
	equal "$(field complete)" False "complete under LIMIT"
	equal "$(tail -n +2 few.tsv | sort -u | wc -l)" 3 "lines under LIMIT"
	equal "$(tail -n +2 few.tsv | sort | comm -23 - <(tail -n +2 pairs.tsv | sort) | wc -l)" 0 "strange lines under LIMIT"
done
expect 0 2 match g.h5 "$pairs LIMIT 0" $subgraphs --output none.tsv --json -
equal "$(field rows)" 0 "rows under LIMIT 0"
expect 0 2 match g.h5 "$pairs LIMIT 100" $subgraphs --output all.tsv --json -
equal "$(field complete)" True "complete under a LIMIT that is not reached"
expect 0 2 match g.h5 "$pairs SKIP 1" $subgraphs --output rest.tsv --json -
equal "$(field rows) $(field complete)" "$(($(wc -l <pairs.tsv) - 2)) False" "rows and complete under SKIP"
grep -q 'stopped' err && fail "SKIP did not stop the search"
expect 0 2 match g.h5 "$pairs SKIP 1" $subgraphs --count --json -
equal "$(field matches) $(field rows) $(field complete)" '4 3 True' "a count under SKIP"
grep -q 'stopped' err && fail "SKIP did not stop the search for a count"
expect 0 2 match g.h5 "$pairs LIMIT 3" $subgraphs --count --json -
equal "$(field matches) $(field complete)" '3 False' "a count under LIMIT"
says 'stopped at the limit'

# counts, and the text for people
expect 0 2 match g.h5 'MATCH (a:Person)-[:ACTS_IN]->(m)<-[:ACTS_IN]-(b) RETURN count(*)' --output count.tsv
equal "$(tail -n 1 count.tsv)" 8 'count(*) counts embeddings'
expect 0 2 match g.h5 'MATCH (a:Film)-[:KNOWS]->(b) RETURN a' --output zero.tsv --json -
equal "$(field matches)" 0 "no matches"
equal "$(cat zero.tsv)" a "a header even without rows"
expect 0 2 match g.h5 "$pairs" $subgraphs
cat out err >both
for text in '4 matches' '8 embeddings' orbits kernel exchange min avg max; do
	grep -q -- "$text" both || fail "the summary does not say '$text'"
done
expect 0 2 match g.h5 "$pairs" $subgraphs --explain
cat out err >both
grep -qi pivot both || fail "--explain names no pivot"
finish
