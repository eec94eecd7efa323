# Tests --query-file with several queries: answers in their order, numbered files, one JSON object, positions in the
# file.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
tsv v.tsv 'id type name' 'p1 Person Ann' 'p2 Person Bob' 'p3 Person Cy' 'm1 Film Up' 'm2 Film It'
tsv e.tsv 'src dst type' 'p1 m1 ACTS_IN' 'p2 m1 ACTS_IN' 'p3 m1 ACTS_IN' 'p2 m2 ACTS_IN' 'p3 m2 ACTS_IN'
expect 0 1 import --vertices v.tsv --edges e.tsv -o g.h5
cat >three.cypher <<'END'
// casts; of films
MATCH (a:Person)-[:ACTS_IN]->(m:Film) RETURN m.name AS film, count(*) AS cast ORDER BY film;
MATCH (a:Person)-[:ACTS_IN]->(m:Film {name: $film}) RETURN a.name /* ; */ ORDER BY a.name ; MATCH (a:Person) RETURN count(*);
;
END

for ranks in 1 3; do
	expect 0 $ranks match g.h5 --query-file three.cypher --param film=Up -o rows.tsv --json - --quiet
	equal "$(cat rows.1.tsv)" "$(printf 'film\tcast\nIt\t2\nUp\t3')" "first answer, $ranks ranks"
	equal "$(cat rows.2.tsv)" "$(printf 'a.name\nAnn\nBob\nCy')" "second answer, $ranks ranks"
	equal "$(cat rows.3.tsv)" "$(printf 'count(*)\n3')" "third answer, $ranks ranks"
	[ ! -e rows.tsv ] || fail "rows.tsv was written"
	equal "$(field queries.0.rows) $(field queries.1.rows) $(field queries.2.count)" "2 3 3" "reports, $ranks ranks"
	equal "$(field queries.2.query)" "MATCH (a:Person) RETURN count(*)" "text of a query"
	equal "$(field graph.edges)" 5 "the graph of all"
	field seconds.read.max >/dev/null || fail "the report has no time for all queries"
	rm -f rows.*
done

# the second query is the same, so it needs no new kernel
printf 'MATCH (a)-[:ACTS_IN]->(m) RETURN count(*);\nMATCH (a)-[:ACTS_IN]->(m) RETURN count(*)' >twice.cypher
expect 0 1 match g.h5 --query-file twice.cypher --json - --quiet
equal "$(field queries.0.count) $(field queries.1.count)" "5 5" "the same question twice"
equal "$(field queries.1.program_builds)" 0 "kernels built for the second"

# each query has a heading in the text
expect 0 1 match g.h5 --query-file three.cypher --param film=It
grep -q '^query 2 of 3: MATCH (a:Person)-\[:ACTS_IN\]->(m:Film {name: \$film})' out || fail "the second query has no heading"

# a single query gives the same output with and without a semicolon
printf 'MATCH (a:Person) RETURN a.name;\n' >one.cypher
expect 0 1 match g.h5 --query-file one.cypher -o one.tsv --json - --quiet
equal "$(field rows)" 3 "rows of a single query"
[ -e one.tsv ] || fail "one.tsv was not written"

# positions are those in the file, and one wrong query prevents all answers
expect 2 2 match g.h5 --query-file three.cypher -o rows.tsv
says 'three.cypher:3:45: the parameter $film'
sed 's/RETURN count/RETURN b.x, count/' three.cypher >wrong.cypher
expect 2 2 match g.h5 --query-file wrong.cypher --param film=Up -o rows.tsv
says "wrong.cypher:3:117: the variable 'b'"
sed 's/(a:Person) RETURN count/(a:Persn) RETURN count/' three.cypher >wrong.cypher
expect 2 2 match g.h5 --query-file wrong.cypher --param film=Up -o rows.tsv
says "wrong.cypher:3:102: unknown label 'Persn'"
[ ! -e rows.1.tsv ] || fail "an answer was written"
expect 2 2 match g.h5 --query-file three.cypher --param film=Up --param year=3
says 'parameter year'
expect 2 2 match g.h5 --query-file three.cypher --param film=Up --output -
says '3 queries'

# queries from the standard input, which rank 0 reads
for ranks in 1 3; do
	launcher=()
	[ $ranks = 1 ] || launcher=(mpirun -q --oversubscribe --bind-to none -n $ranks)
	printf 'MATCH (a:Film) RETURN a.name ORDER BY a.name' | "${launcher[@]}" "$GEMP_MPI" match g.h5 --query-file - -o - -q >out 2>err
	equal "$(cat out)" "$(printf 'a.name\nIt\nUp')" "a query from the standard input, $ranks ranks"
done
printf 'MATCH (a)\nRETURN b' | "$GEMP_MPI" match g.h5 --query-file - >out 2>err
says 'stdin:2:8: the variable'
finish
