# Tests transform: Sierpinski triangles, control, inapplicable matches, refusals.
. "$(dirname "$0")/../harness/harness.sh"
cd "$work" || exit 1
tsv() { local file=$1; shift; printf '%s\n' "$@" | tr ' ' '\t' >"$file"; }
rules() { printf '%s\n' "$@" >r.rules; }
step() { local ranks=$1 graph=$2; shift 2; expect 0 "$ranks" transform "$graph" r.rules -o h.h5 --json - "$@"; }

tsv triangle.tsv 'src dst type' '1 2 L' '1 3 R' '2 3 C'
expect 0 1 import --edges triangle.tsv -o triangle.h5
rules 'RULE split MATCH (a)-[l:L]->(b), (a)-[r:R]->(c), (b)-[m:C]->(c)' 'DELETE l, r, m' \
	'CREATE (a)-[:L]->(x)-[:L]->(b), (a)-[:R]->(y)-[:R]->(c), (b)-[:C]->(z)-[:C]->(c),' \
	'(x)-[:C]->(y), (x)-[:R]->(z), (y)-[:L]->(z)' 'RUN split{5}'
for ranks in 1 3; do
	step $ranks triangle.h5
	equal "$(field graph.vertices)" 366 "vertices of a Sierpinski triangle, $ranks ranks"
	equal "$(field rules.0.applied)" 121 'matches applied'
	mv h.h5 "h$ranks.h5"
done
cmp -s h1.h5 h3.h5 || fail 'the graph depends on the number of ranks'

tsv v.tsv 'id type x:int' 'a P 1' 'b P 2' 'c P 3' 'd Q 4'
tsv e.tsv 'src dst type' 'a b K' 'b c K' 'c d K' 'a a M'
expect 0 1 import --vertices v.tsv --edges e.tsv -o g.h5

rules 'RULE r MATCH (p:Q) DELETE p RUN TRY r'
step 2 g.h5
equal "$(field rules.0.blocked) $(field graph.vertices)" '1 4' 'an edge would be without an end'
rules 'RULE r MATCH (p:Q) DETACH DELETE p'
step 2 g.h5
equal "$(field rules.0.applied) $(field graph.vertices) $(field graph.edges)" '1 3 3' 'DETACH DELETE'
# In these four cases the deletion of a vertex leaves no dangling edge: OPTIONAL MATCH found the edge; DETACH removes
# the edge's other end; the row has the edge but not its ends; the edge is a self-loop.
gone() { rules "RULE r $1"; for ranks in 1 3; do
	step $ranks g.h5
	equal "$(field rules.0.applied) $(field graph.vertices) $(field graph.edges)" "$2" "$1, $ranks ranks"
done; }
gone 'MATCH (p:Q) OPTIONAL MATCH ()-[k:K]->(p) DELETE p, k' '1 3 3'
gone 'MATCH (p)-[:K]->(q:Q) DELETE q DETACH DELETE p' '1 2 2'
gone 'MATCH (p:P)-[k:K]->(q:Q) WITH q, k DELETE q, k' '1 3 3'
gone 'MATCH (p)-[m:M]->(p), (p)-[k:K]->() DELETE p, m, k' '1 3 2'
gone 'MATCH (p:P)-[m:K]->(:Q) OPTIONAL MATCH (q:Q)-[n:K]->(p) DELETE p, m, n' '0 4 4'
rules 'RULE r MATCH (p)-[:K]->(q) SET p.x = 0, q.x = 1 RUN r'
step 3 g.h5 --seed 2
equal "$(field rules.0.matches) $(field rules.0.applied)" '3 2' 'matches that write one attribute'
rules 'RULE r MATCH (p)-[:K]->(q) SET p.x = 0, q.x = 1 RUN ONE r'
step 3 g.h5
equal "$(field rules.0.applied)" 1 'ONE'
rules 'RULE r MATCH (p:P) WITH p.x > 0 AS big, sum(p.x) AS s CREATE (n:Sum {s: s}), (n)-[:OF]->(n)'
step 2 g.h5
expect 0 1 match h.h5 'MATCH (n:Sum) RETURN n, n.s' -o - -q
equal "$(tail -n 1 out)" "$(printf '#1\t6')" 'a key among strings'

# A row may count vertices without binding them. A match that creates such a vertex conflicts with the count. There is
# no conflict if only vertices with an edge are counted and the new vertex has no edge.
rules 'RULE r MATCH (p:P) WITH p.x > 1 AS big, count(p) AS n CREATE (:P {x: n}) RUN r'
step 2 g.h5
equal "$(field rules.0.matches) $(field rules.0.applied) $(field rules.0.conflicts)" '2 1 1' 'a count of what others create'
# Rows with edge numbers that the first search has made do not serve the last one: edges of a relation before theirs were
# added meanwhile.
tsv numbers.tsv 'src dst type' '1 2 B' '2 3 B' '3 4 B' '1 3 A' '4 2 C'
expect 0 1 import --edges numbers.tsv -o numbers.h5
rules 'RULE look MATCH (x)-[b:B]-(y)-[:C]-(z) SET x.k = 1' 'RULE grow MATCH (x)-[:C]->(y) CREATE (x)-[:A]->(y)' \
	'RULE cut MATCH (x)-[b:B]-(y)-[:C]-(z) DELETE b' 'RUN look; grow; cut'
for ranks in 1 2 3; do
	step $ranks numbers.h5
	expect 0 1 match h.h5 'MATCH ()-[e]->() RETURN type(e) AS t, count(*) ORDER BY t' -o - -q
	equal "$(tail -n +2 out | tr '\t\n' ' ;')" 'A 2;C 1;' "deleted edges after others were added, $ranks ranks"
done
# A rule may read an attribute that it writes, even if the graph lacks it.
rules "RULE r MATCH (p)-[k:K]->(q)-[l:K]->(r) CREATE (:N {w: k.t}) SET l.t = 'q'"
tsv chain.tsv 'src dst type' '1 2 K' '2 3 K' '3 4 K'
expect 0 1 import --edges chain.tsv -o chain.h5
step 2 chain.h5
equal "$(field rules.0.matches) $(field rules.0.applied) $(field rules.0.conflicts)" '2 1 1' 'an attribute that is new to the graph'
# An attribute that no element has is NULL of every type: SET removes it, CREATE omits it.
rules 'RULE r MATCH (p)-[k:K]->(q:P) WITH p, k, p.n AS n SET p.x = n, k.n = n CREATE (:N {x: p.n})' \
	'RULE s MATCH (p {x: 3}) SET p.n = "s" RUN r; s'
step 2 g.h5
expect 0 1 match h.h5 'MATCH (p:P|N) RETURN p.x ORDER BY p.x' -o - -q
equal "$(tail -n +2 out | tr '\n' ' ')" '3     ' 'an attribute that nobody has'
# Tests cached matches with an attribute that gets its type between two steps.
{ echo 'src dst type'; seq 1 60 | awk '{ print $1, $1 + 1, "K" }'; } | tr ' ' '\t' >path.tsv
expect 0 1 import --edges path.tsv -o path.h5
rules 'RULE r MATCH (p)-[k:K]->(q) WHERE id(p) > 9 AND id(p) < 20 SET k.y = q.n' \
	'RULE s MATCH (p) WHERE id(p) = 12 AND p.n IS NULL SET p.n = 7' 'RULE t MATCH (p {n: 7}) SET p.n = 7.5 RUN r; s; r; t; r'
for how in full incremental; do
	step 2 path.h5 --rematch $how
	expect 0 1 match h.h5 'MATCH ()-[k]->(q) WHERE k.y IS NOT NULL RETURN id(q), k.y' -o - -q
	equal "$(tail -n +2 out)" "$(printf '12\t7.5')" "a new type, --rematch $how"
done
tsv cast.tsv 'src dst type' 'a m A' 'b m A' 'a n A' 'b n A' 'c n A'
expect 0 1 import --edges cast.tsv -o cast.h5
rules 'RULE pair MATCH (p)-[:A]->(f)<-[:A]-(q) WHERE id(p) < id(q) WITH p, q, count(f) AS films' \
	'CREATE (c:Pair {films: films}), (c)-[:OF]->(p), (c)-[:OF]->(q) RUN pair'
for ranks in 1 3; do
	step $ranks cast.h5
	equal "$(field rules.0.matches) $(field rules.0.applied)" '3 3' "pairs, none of which changes another's count"
	expect 0 1 match h.h5 'MATCH (c:Pair) RETURN c.films ORDER BY c.films' -o - -q
	equal "$(tail -n +2 out | tr '\n' ' ')" '1 1 2 ' 'films in common'
done

rules 'RULE none MATCH (p:P) WHERE p.x > 9 SET p.x = 1' 'RULE less MATCH (p) WHERE p.x > 1 SET p.x = p.x - 1' \
	'RUN (none | less)*; less' 'RUN none'
step 2 g.h5
equal "$(field rules.1.applied) $(field rules.0.steps) $(field steps)" '6 4 9' 'control'
rules 'RULE more MATCH (p:P) SET p.x = p.x + 1 RUN more* LIMIT 3'
expect 2 2 transform g.h5 r.rules -o limit.h5
[ ! -e limit.h5 ] || fail 'a graph was written beyond the limit'
rules 'RULE more MATCH (p:P) SET p.x = p.x + 1 RUN more*'
expect 2 1 transform g.h5 r.rules -o limit.h5 --max-steps 4
says 'raise max-steps'
rules 'RULE r MATCH (p:P) SET p.x = "word"'
expect 2 2 transform g.h5 r.rules -o limit.h5
says 'values of type integer'
expect 2 1 transform g.h5 r.rules
finish
