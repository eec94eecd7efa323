/* CREATE, SET, REMOVE and DELETE, from the empty graph and from a small one. */

#include "cypher/check/graph_names.h"
#include "cypher_change_case.h"

static void creates(void **state)
{
	(void)state;
	CHANGES(EMPTY, "CREATE ()", "+1-0 nodes +0-0 edges 0 properties +0-0 labels", ALL_NODES, "1 [] {}");
	CHANGES(EMPTY, "CREATE (a:B:A {k: 1, t: 'x'}) RETURN a.k, a.missing, labels(a)",
	        "1 null [\"A\", \"B\"] ; +1-0 nodes +0-0 edges 2 properties +2-0 labels", ALL_NODES,
	        "1 [\"A\", \"B\"] {\"k\": 1, \"t\": \"x\"}");
	CHANGES(
		EMPTY, "CREATE (a:A)<-[r:T {k: 1}]-(b), (b)-[:U]->(:C) RETURN a, b, r, type(r), startNode(r)",
		"1 2 {\"type\": \"T\", \"source\": 2, \"target\": 1} \"T\" 2 ; +3-0 nodes +2-0 edges 1 properties +2-0 "
		"labels",
		ALL_EDGES,
		"{\"type\": \"T\", \"source\": 2, \"target\": 1} {\"k\": 1}|{\"type\": \"U\", \"source\": 2, \"target\": 3} {}");
	CHANGES(EMPTY, "UNWIND range(1, 7) AS x CREATE (n:N {x: x, odd: x % 2 = 1}) WITH n WHERE n.odd RETURN sum(n.x)",
	        "16 ; +7-0 nodes +0-0 edges 14 properties +7-0 labels", "MATCH (n:N) WHERE NOT n.odd RETURN n, n.x",
	        "2 2|4 4|6 6");
	CHANGES(SMALL, "MATCH (a {num: 10}) CREATE p = (a)-[:NEW]->(:Leaf)-[:NEW]->(a) RETURN length(p), nodes(p)",
	        "2 [0, 4, 0] ; +1-0 nodes +2-0 edges 0 properties +1-0 labels", "MATCH (a)-[:NEW]->(b) RETURN a, b",
	        "0 4|4 0");
	CHANGES(EMPTY, "CREATE (n {a: [1, 2.5, 'x'], b: date('2020-01-31'), c: null}) RETURN n.a, n.b, n.c",
	        "[1, 2.5, \"x\"] \"2020-01-31\" null ; +1-0 nodes +0-0 edges 2 properties +0-0 labels",
	        "MATCH (n) RETURN n.a, n.b.year, keys(n)", "[1, 2.5, \"x\"] 2020 [\"a\", \"b\"]");
}

/* Parallel relationships with equal and different values keep their identity when the graph is patched between
 * clauses. */
static void searches_after_changes(void **state)
{
	(void)state;
	CHANGES(EMPTY, "CREATE (:A) WITH 1 AS x MATCH (n:A) RETURN count(n), x",
	        "1 1 ; +1-0 nodes +0-0 edges 0 properties +1-0 labels", NULL, NULL);
	CHANGES(EMPTY,
	        "CREATE (a:A), (b:B) WITH a, b UNWIND [3, 1, 2, 1] AS k CREATE (a)-[r:T {k: k}]->(b) WITH a, b, r, k MATCH "
	        "(a)-[s:T]->(b) WHERE s = r AND s.k = k SET r.seen = k RETURN count(*)",
	        "4 ; +2-0 nodes +4-0 edges 8 properties +2-0 labels", "MATCH ()-[r:T]->() RETURN r.k, r.seen ORDER BY r.k",
	        "1 1|1 1|2 2|3 3");
	CHANGES(SMALL,
	        "MATCH (a)-[r]->(b) WITH a, b, r ORDER BY r.weight CREATE (b)-[c:R {weight: r.weight + 10}]->(a) WITH r, c "
	        "MATCH (x)-[r]->(y), (y)-[c]->(x) RETURN r.weight, c.weight",
	        "0 10|1 11|2 12|3 13 ; +0-0 nodes +4-0 edges 4 properties +0-0 labels", NULL, NULL);
	CHANGES(SMALL, "MATCH (n) CREATE (m) WITH m MATCH (x) RETURN count(*)",
	        "32 ; +4-0 nodes +0-0 edges 0 properties +0-0 labels", NULL, NULL);
	CHANGES(EMPTY, "CREATE (a)-[r:T]->(b) RETURN id(a), id(b), id(r)",
	        "1 2 0 ; +2-0 nodes +1-0 edges 0 properties +0-0 labels", NULL, NULL);
}

static void sets(void **state)
{
	(void)state;
	CHANGES(SMALL, "MATCH (n) SET n.num = n.num + 1, n.twice = 2 * n.num RETURN n.num, n.twice",
	        "11 22|12 24|13 26|14 28 ; +0-0 nodes +0-0 edges 8 properties +0-0 labels",
	        "MATCH (n) RETURN n.num, n.twice", "11 22|12 24|13 26|14 28");
	CHANGES(SMALL, "MATCH (n {num: 12}) SET n.num = 'text' RETURN n.num",
	        "\"text\" ; +0-0 nodes +0-0 edges 1 properties +0-0 labels", "MATCH (n) RETURN n.num", "10|11|\"text\"|13");
	CHANGES(SMALL, "MATCH (n {num: 12}) SET n.num = 0.5", "+0-0 nodes +0-0 edges 1 properties +0-0 labels",
	        "MATCH (n) WHERE n.num < 11 RETURN n.num", "10.0|0.5");
	CHANGES(SMALL, "MATCH (n:Even) SET n.num = null REMOVE n:Even SET n:X:Y RETURN labels(n), keys(n)",
	        "[\"X\", \"Y\"] []|[\"X\", \"Y\"] [] ; +0-0 nodes +0-0 edges 2 properties +4-2 labels", ALL_NODES,
	        "0 [\"X\", \"Y\"] {}|1 [] {\"num\": 11}|2 [\"X\", \"Y\"] {}|3 [] {\"num\": 13}");
	CHANGES(SMALL, "MATCH (n {num: 11}) SET n = {a: 1, b: 2} SET n += {b: null, c: 3}",
	        "+0-0 nodes +0-0 edges 5 properties +0-0 labels", "MATCH (n) WHERE n.num IS NULL RETURN properties(n)",
	        "{\"a\": 1, \"c\": 3}");
	CHANGES(SMALL, "MATCH ()-[r:R]->() SET r.weight = r.weight * 2, r.k = 'v' RETURN r.weight",
	        "0|4 ; +0-0 nodes +0-0 edges 3 properties +0-0 labels", ALL_EDGES,
	        "{\"type\": \"R\", \"source\": 0, \"target\": 1} {\"k\": \"v\", \"weight\": 0}|"
	        "{\"type\": \"R\", \"source\": 0, \"target\": 1} {\"k\": \"v\", \"weight\": 4}|"
	        "{\"type\": \"S\", \"source\": 1, \"target\": 2} {\"weight\": 1}|"
	        "{\"type\": \"S\", \"source\": 2, \"target\": 2} {\"weight\": 3}");
	CHANGES(EMPTY,
	        "CREATE (n {l: [1, 2], t: time('12:00+01:00')}) SET n.l = [1, 2.0], n.t = time('11:00Z') RETURN n.l, n.t",
	        "[1, 2.0] \"11:00Z\" ; +1-0 nodes +0-0 edges 4 properties +0-0 labels", "MATCH (n) RETURN n.l, n.t",
	        "[1, 2.0] \"11:00Z\"");
	CHANGES(SMALL, "MATCH (n) SET n.num = n.num REMOVE n.none, n:None",
	        "+0-0 nodes +0-0 edges 0 properties +0-0 labels", NULL, NULL);
	CHANGES(SMALL, "OPTIONAL MATCH (n:None) SET n.num = 1, n:L REMOVE n.num RETURN n",
	        "null ; +0-0 nodes +0-0 edges 0 properties +0-0 labels", NULL, NULL);
	REFUSES(SMALL, "MATCH (n) SET n.x = {a: 1}", "1:");
	REFUSES(SMALL, "MATCH (n) SET n.x = [n]", "properties are");
	CHANGES(SMALL, "FOREACH (x IN [1, 2] | CREATE (m:M {x: x}) SET m.y = x + 1)",
	        "+2-0 nodes +0-0 edges 4 properties +2-0 labels", "MATCH (m:M) RETURN m.x, m.y", "1 2|2 3");
}

static void deletes(void **state)
{
	(void)state;
	CHANGES(SMALL, "MATCH (n) DETACH DELETE n", "+0-4 nodes +0-4 edges 0 properties +0-0 labels", ALL_NODES, "");
	CHANGES(SMALL, "MATCH (n {num: 13}) DELETE n RETURN n", "3 ; +0-1 nodes +0-0 edges 0 properties +0-0 labels",
	        "MATCH (n) RETURN n", "0|1|2");
	CHANGES(
		SMALL, "MATCH (n {num: 10})-[r]->() DELETE r, n RETURN type(r), r",
		"\"R\" {\"type\": \"R\", \"source\": 0, \"target\": 1}|\"R\" {\"type\": \"R\", \"source\": 0, \"target\": 1} ; "
		"+0-1 nodes +0-2 edges 0 properties +0-0 labels",
		ALL_EDGES,
		"{\"type\": \"S\", \"source\": 1, \"target\": 2} {\"weight\": 1}|"
		"{\"type\": \"S\", \"source\": 2, \"target\": 2} {\"weight\": 3}");
	CHANGES(SMALL, "MATCH p = ({num: 11})-->(b) DETACH DELETE p WITH 1 AS x MATCH (n) RETURN n",
	        "0|3 ; +0-2 nodes +0-4 edges 0 properties +0-0 labels", NULL, NULL);
	CHANGES(SMALL, "MATCH (a)-[r {weight: 1}]->(b) DETACH DELETE a WITH r, b MATCH (b)-[s]->() RETURN s.weight, r",
	        "3 {\"type\": \"S\", \"source\": 1, \"target\": 2} ; +0-1 nodes +0-3 edges 0 properties +0-0 labels", NULL,
	        NULL);
	CHANGES(EMPTY, "CREATE (a)-[r:T]->(b) DELETE r, a, b", "+2-2 nodes +1-1 edges 0 properties +0-0 labels", ALL_NODES,
	        "");
	CHANGES(SMALL, "OPTIONAL MATCH (n:None) DELETE n RETURN n", "null ; +0-0 nodes +0-0 edges 0 properties +0-0 labels",
	        NULL, NULL);
	REFUSES(SMALL, "MATCH (n {num: 12}) DELETE n", "DETACH DELETE");
	REFUSES(SMALL, "MATCH (n {num: 11}) DELETE n RETURN n.num", "deleted");
	REFUSES(SMALL, "MATCH (n {num: 13}) DELETE n WITH n MATCH (m) RETURN labels(n)", "deleted");
	REFUSES(EMPTY, "CREATE (a)-[:T]->(b) DELETE a", "DETACH DELETE");
	REFUSES(EMPTY, "CREATE (a) DELETE a CREATE (a)-[:T]->()", "deleted");
}

static gemp_code check_names(const char *text)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	GEMP_OWNED_BY(gemp_cypher_tree_free) gemp_cypher_tree tree = { 0 };
	GEMP_TRY(make_graph(SMALL, &graph));
	GEMP_TRY(parse(&tree, text));
	return gemp_cypher_check_names(&tree, graph, false);
}

/* Names that the query makes are known in all of its clauses. Other names must be names of the graph. */
static void names(void **state)
{
	(void)state;
	assert_all_ok(check_names("CREATE (n:New {p: 1})-[r:T {w: 2}]->(m) RETURN n.p, r.w, n:New"));
	assert_all_ok(check_names("MATCH (n:Even) SET n:Seen, n.q = 1 WITH n MATCH (m:Seen {q: 1}) RETURN m.q"));
	assert_all_ok(check_names("MERGE (n:New {a: 1}) ON CREATE SET n.b = 1 RETURN n.b"));
	assert_all_ok(check_names("FOREACH (x IN [1] | CREATE (:New {p: x})) WITH 1 AS y MATCH (n:New) RETURN n.p"));
	assert_all_ok(check_names("MATCH (n) SET n += $map RETURN n.anything"));
	assert_all_code(check_names("MATCH (n:Odd) SET n.x = 1"), GEMP_EUSAGE);
	assert_all_code(check_names("MATCH (n) WHERE n.nom = 1 SET n.x = n.num"), GEMP_EUSAGE);
	assert_all_code(check_names("MATCH (n) CREATE (n)-[:T]->(m:New) WITH n MATCH (n)-[:U]->(m) RETURN m"), GEMP_EUSAGE);
}

static gemp_code run_once(void *argument)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text out = { 0 };
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *graph = NULL;
	GEMP_OWNED_BY(gemp_runtime_free_at) gemp_runtime *runtime = NULL;
	const gemp_budgets none = { 0 };
	(void)argument;
	GEMP_TRY(make_graph(SMALL, &graph));
	GEMP_TRY(gemp_runtime_new(&runtime, &test_comm, NULL, &none));
	return write_in(runtime, &graph,
	                "MATCH (a)-[r]->(b) SET r.k = 'x', a:New, a.num = [1] CREATE (a)-[s:R {weight: 7}]->(c:C) DELETE r "
	                "WITH c, s MERGE (c)-[t:T {w: 1}]->(d:D) RETURN c, s, t",
	                &out);
}

/* A rank without memory fails all ranks, and none waits for another. */
static void no_memory(void **state)
{
	(void)state;
	assert_all_survive_no_memory(run_once, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(creates, open_context, close_context),
		cmocka_unit_test_setup_teardown(searches_after_changes, open_context, close_context),
		cmocka_unit_test_setup_teardown(sets, open_context, close_context),
		cmocka_unit_test_setup_teardown(deletes, open_context, close_context),
		cmocka_unit_test_setup_teardown(names, open_context, close_context),
		cmocka_unit_test_setup_teardown(no_memory, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
