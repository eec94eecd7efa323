# Tests whole queries on the command line: --param, --lenient, --combinations, --subgraph, --count, and previews of
# groups.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
tsv v.tsv 'id type name born:int' 'p1 Person Ann 1950' 'p2 Person Bob 1960' 'p3 Person Cy ' 'm1 Film Up 2009' 'm2 Film It 2017'
tsv e.tsv 'src dst type as' 'p1 m1 ACTS_IN x' 'p2 m1 ACTS_IN y' 'p3 m1 ACTS_IN z' 'p2 m2 ACTS_IN x' 'p3 m2 ACTS_IN x' 'p1 p2 KNOWS '
expect 0 2 import --vertices v.tsv --edges e.tsv -o g.h5
acts='MATCH (a:Person)-[r:ACTS_IN]->(m:Film)'

# --param: typed values, which are never inserted into the text of the query
people='MATCH (a:Person) WHERE a.born >= $least OR a.name = $name RETURN a.name ORDER BY a.name'
expect 0 2 match g.h5 "$people" --param least=1955 --param 'name:string=Ann' --output -
equal "$(cat out)" "$(printf 'a.name\nAnn\nBob')" "parameters"
expect 0 1 match g.h5 "$people" --param least=1955 --param "name=x' OR 'x' = 'x" --output -
equal "$(cat out)" "$(printf 'a.name\nBob')" "a parameter is no text of the query"
expect 2 2 match g.h5 "$people" --param least=1955
says '$name'
expect 2 1 match g.h5 "$people" --param least=1955 --param name=x --param other=1
says 'other'
expect 2 1 match g.h5 "$people" --param least=1955 --param least=1
says 'two values for $least'
expect 2 1 match g.h5 "$people" --param least
says 'least'
expect 2 1 match g.h5 --pattern triangle --param a=1
says '--param'

# --lenient: an attribute that the graph lacks is NULL, and a label that it lacks matches nothing
expect 2 2 match g.h5 'MATCH (a:Persn) RETURN a.nam'
says "did you mean 'Person'?"
expect 0 2 match g.h5 'MATCH (a:Persn) RETURN a.name' --lenient --output -
says "did you mean 'Person'?"
equal "$(cat out)" 'a.name' "no vertex has an unknown label"
expect 0 1 match g.h5 'MATCH (a:Film) WHERE a.nam IS NULL RETURN a.name, a.nam ORDER BY a.name' --lenient --output -
equal "$(cat out)" "$(printf 'a.name\ta.nam\nIt\t\nUp\t')" "an unknown attribute is NULL"

# unconnected parts of a pattern: a warning and a limit
expect 0 2 match g.h5 'MATCH (a:Person), (m:Film) RETURN count(*) AS n' --output -
says 'no edge joins'
equal "$(cat out)" "$(printf 'n\n6')" "parts are combined"
expect 2 2 match g.h5 'MATCH (a:Person), (m:Film) RETURN count(*) AS n' --combinations 5
says 'combinations'

# groups: --count counts rows, a preview shows the number of rows, and LIMIT 0 gives no rows
expect 0 2 match g.h5 "$acts RETURN m.name AS film, count(*) AS cast, collect(r.as) AS roles ORDER BY film" --json - --output rows.jsonl
equal "$(field rows)" 2 rows
equal "$(field matches)" 5 matches
equal "$(field complete)" True complete
equal "$(cat rows.jsonl)" '{"film": "It", "cast": 2, "roles": ["x", "x"]}
{"film": "Up", "cast": 3, "roles": ["x", "y", "z"]}' "groups"
expect 0 2 match g.h5 "$acts RETURN DISTINCT m" --count --json -
equal "$(field rows)" 2 "rows of --count"
expect 0 1 match g.h5 "$acts RETURN count(*) LIMIT 0" --output -
equal "$(cat out)" 'count(*)' "LIMIT 0"

# --subgraph: the union of the images, the same with every number of ranks
for ranks in 1 3; do
	expect 0 $ranks match g.h5 "$acts WHERE m.name = 'It' RETURN a" --subgraph part$ranks.h5 --json -
	equal "$(field subgraph.vertices)" 3 "vertices under $ranks ranks"
	equal "$(field subgraph.edges)" 2 "edges under $ranks ranks"
done
cmp -s part1.h5 part3.h5 || fail "the subgraph depends on the ranks"
expect 0 1 match part1.h5 'MATCH (a)-[r]->(m) RETURN a.name, r.as, m.name ORDER BY a.name' --output -
equal "$(cat out)" "$(printf 'a.name\tr.as\tm.name\nBob\tx\tIt\nCy\tx\tIt')" "a subgraph is a graph"
expect 0 2 match g.h5 "$acts RETURN a" --count --subgraph part.dot
grep -q '^digraph' part.dot || fail "part.dot is no DOT file"
expect 0 1 match g.h5 "$acts RETURN a" --output drawn.dot
cmp -s part.dot drawn.dot || fail "--output F.dot and --subgraph F.dot differ"
expect 2 1 match g.h5 "$acts" --subgraph part.xyz
says 'part.xyz'
expect 2 1 match g.h5 --pattern path:3 --subgraph part.h5
says 'simple graph'

# a degree beside another pattern counts self-loops if --semantics allows them
printf 'src\tdst\ttype\n1\t1\tS\n2\t2\tS\n2\t1\tS\n1\t3\tR\n' >loops.tsv
expect 0 1 import --edges loops.tsv -o loops.h5
for semantics in hom:3 edge-iso:3 iso:1; do
	expect 0 2 match loops.h5 'MATCH (b)-[:S]->(a) WHERE EXISTS { (a)<-[:S]-() } OR EXISTS { (a)<-[:R]-()-[:R]->() }' \
		--semantics ${semantics%:*} --count --json -
	equal "$(field embeddings)" ${semantics#*:} "loops in a degree, $semantics"
done

# an edge between components is tested on their combinations
for test in '(a)-[:R]->(b):1' 'NOT (a)-[:R]->(b):8' '(a)-[:S]-(b):4'; do
	expect 0 2 match loops.h5 "MATCH (a), (b) WHERE ${test%:*}" --semantics hom --distinct none --count --json -
	equal "$(field embeddings)" ${test##*:} "an edge between components, ${test%:*}"
done

# a data error during the search ends all ranks and leaves no file
expect 65 2 match g.h5 'MATCH (a:Person) WHERE a.born IS NOT NULL RETURN 1 / (a.born - 1950) AS x' --output broken.tsv
says 'zero'
[ ! -e broken.tsv ] || fail "a failed query left its output file"
finish
