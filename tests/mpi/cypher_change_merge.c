/* MERGE: what it finds, what it creates, and how the rows of one MERGE see each other's elements. */

#include "core/random.h"
#include "cypher_change_case.h"

static void nodes(void **state)
{
	(void)state;
	CHANGES(EMPTY, "MERGE (a) RETURN count(*)", "1 ; +1-0 nodes +0-0 edges 0 properties +0-0 labels", ALL_NODES,
	        "1 [] {}");
	CHANGES(SMALL, "MERGE (a) RETURN a.num", "10|11|12|13 ; +0-0 nodes +0-0 edges 0 properties +0-0 labels", NULL,
	        NULL);
	CHANGES(SMALL, "UNWIND [12, 7, 10, 7, 12] AS x MERGE (a:Even {num: x}) RETURN a, x",
	        "2 12|4 7|0 10|4 7|2 12 ; +1-0 nodes +0-0 edges 1 properties +1-0 labels", "MATCH (a:Even) RETURN a.num",
	        "10|12|7");
	CHANGES(SMALL, "UNWIND [11, 1.5, 11.0] AS x MERGE (a {num: x}) RETURN a, a.num",
	        "1 11|4 1.5|1 11 ; +1-0 nodes +0-0 edges 1 properties +0-0 labels", "MATCH (a) RETURN a.num",
	        "10.0|11.0|12.0|13.0|1.5");
	CHANGES(EMPTY, "UNWIND [0.0 / 0.0, 0.0 / 0.0] AS x MERGE (a {num: x}) RETURN count(*)",
	        "2 ; +2-0 nodes +0-0 edges 2 properties +0-0 labels", NULL, NULL);
	CHANGES(EMPTY, "CREATE (:X), (:X) MERGE (x:X) MERGE (y:Y) RETURN x, y",
	        "1 3|2 3 ; +3-0 nodes +0-0 edges 0 properties +3-0 labels", NULL, NULL);
	CHANGES(SMALL, "MATCH (n) WHERE NOT (n)--() DELETE n MERGE (m {num: 13}) RETURN n, m",
	        "3 4 ; +1-1 nodes +0-0 edges 1 properties +0-0 labels", ALL_NODES,
	        "0 [\"Even\"] {\"num\": 10}|1 [] {\"num\": 11}|2 [\"Even\"] {\"num\": 12}|4 [] {\"num\": 13}");
	REFUSES(SMALL, "MERGE ({num: null})", "NULL");
}

static void relationships(void **state)
{
	(void)state;
	CHANGES(SMALL, "MATCH (a), (b) WHERE a.num < 12 AND b.num < 12 MERGE (a)-[r:R]->(b) RETURN a, b, r.weight",
	        "0 0 null|0 1 0|0 1 2|1 0 null|1 1 null ; +0-0 nodes +3-0 edges 0 properties +0-0 labels",
	        "MATCH (a)-[r:R]->(b) RETURN a, b", "0 0|0 1|0 1|1 0|1 1");
	CHANGES(SMALL, "MATCH (a), (b) WHERE a.num < 12 AND b.num < 12 MERGE (a)-[r:R]-(b) RETURN count(*)",
	        "6 ; +0-0 nodes +2-0 edges 0 properties +0-0 labels", NULL, NULL);
	CHANGES(SMALL, "MATCH (a) MERGE (a)-[r:R]->(b:Leaf {of: a.num}) RETURN a, b",
	        "0 4|1 5|2 6|3 7 ; +4-0 nodes +4-0 edges 4 properties +4-0 labels", "MATCH (b:Leaf) RETURN b.of",
	        "10|11|12|13");
	CHANGES(SMALL,
	        "UNWIND [2, 5, 5] AS w MATCH (a {num: 10}), (b {num: 11}) MERGE (a)-[r:R {weight: w}]->(b) RETURN r.weight",
	        "2|5|5 ; +0-0 nodes +1-0 edges 1 properties +0-0 labels", NULL, NULL);
	CHANGES(
		EMPTY,
		"UNWIND [[1, 2], [2, 3], [1, 2], [3, 1]] AS e MERGE (a:N {k: e[0]}) MERGE (b:N {k: e[1]}) MERGE (a)-[r:T]->(b) "
		"SET r.n = coalesce(r.n, 0) + 1 RETURN count(*)",
		"4 ; +3-0 nodes +3-0 edges 7 properties +3-0 labels", "MATCH (a)-[r]->(b) RETURN a.k, b.k, r.n ORDER BY a.k",
		"1 2 2|2 3 1|3 1 1");
	/* the second row finds one relationship of the graph and one that the first row has made */
	CHANGES(
		SMALL,
		"MATCH (a {num: 10}), (b {num: 11}), (c {num: 12}), (d {num: 13}) UNWIND [[b, d, a], [a, b, d]] AS x WITH x[0] "
		"AS p, x[1] AS q, x[2] AS s MERGE (p)-[:R]->(q)-[:R]->(s)",
		"+0-0 nodes +2-0 edges 0 properties +0-0 labels", "MATCH (a)-[r:R]->(b) RETURN a, b", "0 1|0 1|1 3|3 0");
	CHANGES(EMPTY, "UNWIND [1, 2] AS x MERGE (a:A)-[r:T]-(b:A) RETURN count(*)",
	        "3 ; +2-0 nodes +1-0 edges 0 properties +2-0 labels", NULL, NULL);
	REFUSES(SMALL, "OPTIONAL MATCH (a:None) MERGE (a)-[:T]->(b)", "Null");
}

static void updates(void **state)
{
	(void)state;
	CHANGES(
		SMALL,
		"UNWIND [13, 14, 14] AS x MERGE (a {num: x}) ON CREATE SET a.made = true, a:New ON MATCH SET a.seen = x RETURN "
		"a.made, a.seen",
		"null 13|true 14|true 14 ; +1-0 nodes +0-0 edges 4 properties +1-0 labels", NULL, NULL);
	/* what ON CREATE and ON MATCH change, later rows search for */
	CHANGES(EMPTY, "UNWIND [1, 2, 1, 3] AS x MERGE (a:A {k: x}) ON CREATE SET a.k = x + 1 RETURN a, a.k",
	        "1 2|1 2|2 2|3 4 ; +3-0 nodes +0-0 edges 6 properties +3-0 labels", "MATCH (a) RETURN a.k", "2|2|4");
	CHANGES(SMALL, "UNWIND [10, 20, 10] AS x MERGE (a {num: x}) ON MATCH SET a += {num: 20} RETURN a",
	        "0|0|4 ; +1-0 nodes +0-0 edges 2 properties +0-0 labels", "MATCH (a) RETURN a.num", "20|11|12|13|10");
	CHANGES(
		EMPTY,
		"UNWIND [{id: 1, v: 'a'}, {id: 2, v: 'b'}, {id: 1, v: 'c'}] AS row MERGE (a:A {id: row.id}) ON CREATE SET a = row",
		"+2-0 nodes +0-0 edges 4 properties +2-0 labels", "MATCH (a) RETURN a.id, a.v", "1 \"a\"|2 \"b\"");
	CHANGES(SMALL, "MATCH (n {num: 10}) MERGE (m {num: n.num + 1}) ON MATCH SET n.num = 11 RETURN m",
	        "1 ; +0-0 nodes +0-0 edges 1 properties +0-0 labels", NULL, NULL);
	CHANGES(EMPTY,
	        "CREATE (a {n: 0, m: 0}) FOREACH (x IN [1, 2] | SET a.n = a.n + x SET a.m = a.m + a.n) RETURN a.n, a.m",
	        "3 4 ; +1-0 nodes +0-0 edges 6 properties +0-0 labels", NULL, NULL);
	CHANGES(
		SMALL,
		"MATCH (n:Even) WITH n ORDER BY n.num FOREACH (x IN [1, 2] | MERGE (m:M {x: x}) MERGE (n)-[:T]->(m)) RETURN n",
		"0|2 ; +2-0 nodes +4-0 edges 2 properties +2-0 labels", "MATCH (n)-[:T]->(m) RETURN n.num, m.x",
		"10 1|10 2|12 1|12 2");
	CHANGES(
		EMPTY,
		"CREATE (c:C {n: 0}) WITH c UNWIND [1, 2, 3] AS x CALL { MATCH (d:C) SET d.n = d.n + 1 RETURN d.n AS n } RETURN x, "
		"n, c.n",
		"1 1 3|2 2 3|3 3 3 ; +1-0 nodes +0-0 edges 4 properties +1-0 labels", NULL, NULL);
	CHANGES(SMALL, "MATCH (a) CALL { WITH a CREATE (b:C {x: a.num}) RETURN b } RETURN a, b, b.x",
	        "0 4 10|1 5 11|2 6 12|3 7 13 ; +4-0 nodes +0-0 edges 4 properties +4-0 labels", NULL, NULL);
	CHANGES(EMPTY, "FOREACH (x IN [1, 2, 1] | MERGE (:A {x: x}))", "+2-0 nodes +0-0 edges 2 properties +2-0 labels",
	        NULL, NULL);
}

/* ONE QUERY AND MANY */

/* What `row` merges. The rows of one query must make what as many queries of one row make. Nodes of MATCH have the
 * label P and a property k, which no MERGE changes. */
static const char *const merges[] = {
	"MERGE (a:N {j: row.x})",
	"MERGE (a:N {j: row.x}) ON CREATE SET a.j = row.y",
	"MERGE (a:N {j: row.x}) ON MATCH SET a.j = row.y ON CREATE SET a.i = row.z",
	"MERGE (a:N {j: row.x, i: row.y}) ON MATCH SET a += {i: row.z}",
	"MERGE (a:N {j: row.x})-[r:T {w: row.y}]->(b:N {j: row.z})",
	"MERGE (a:N {j: row.x})-[r:T]-(b:N {j: row.y})",
	"MERGE (a:N {j: row.x})-[:T]->(b:N {j: row.y})-[:T]->(c:N {j: row.z})",
	"MERGE (a:N {j: row.x})-[:T]->(b:N {j: row.y})<-[:T]-(c:N {j: row.z})",
	"MATCH (p:P {k: row.x}), (q:P {k: row.y}) MERGE (p)-[r:T]->(q) ON MATCH SET r.w = row.z",
	"MATCH (p:P {k: row.x}), (q:P {k: row.y}) MERGE (p)-[r:T {w: row.z}]-(q)",
	"MATCH (p:P {k: row.x}), (q:P {k: row.y}), (s:P {k: row.z}) MERGE (p)-[:T]->(q)-[:T]->(s)",
	"MATCH (p:P {k: row.x}) MERGE (p)-[r:T]->(b:N {j: row.y})",
	"MATCH (p:P {k: row.x}) MERGE (p)-[r:T]-(b:N {j: row.y})",
	"MATCH (p:P {k: row.x}) MERGE (p)-[r:T]->(b:N)-[s:T]->(c:N {j: row.z})",
	"MATCH (p:P {k: row.x}) MERGE (b:N {j: p.j}) ON CREATE SET p.j = row.y ON MATCH SET p.j = row.z",
	"MATCH (p:P {k: row.x}) MERGE (p)-[r:T]->(b:N {j: row.y}) ON CREATE SET b:M ON MATCH SET p:M",
};

static const char start_text[] =
	"UNWIND range(0, 3) AS x CREATE (:P:N {k: x, j: x}) WITH count(*) AS n MATCH (a:P {k: 0}), (b:P {k: 1}), (c:P {k: 2}) "
	"CREATE (a)-[:T {w: 1}]->(b), (a)-[:T {w: 0}]->(b), (b)-[:T]->(c), (c)-[:T {w: 2}]->(c)";

enum { MAX_ROWS = 8, VALUES = 4 };

static void print_row(gemp_text *out, uint64_t *random)
{
	gemp_text_print(out, "{x: %d", (int)gemp_random_below(random, VALUES));
	gemp_text_print(out, ", y: %d", (int)gemp_random_below(random, VALUES));
	gemp_text_print(out, ", z: %d}", (int)gemp_random_below(random, VALUES));
}

static gemp_code start(gemp_shard **graph)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text ignored = { 0 };
	GEMP_TRY(make_graph(EMPTY, graph));
	return write_graph(graph, start_text, &ignored);
}

static gemp_code print_graph(gemp_shard *graph, gemp_text *out)
{
	GEMP_TRY(read_graph(graph, ALL_NODES, out));
	return read_graph(graph, "MATCH (a)-[r]->(b) RETURN r, r.w ORDER BY a, b, r.w", out);
}

static gemp_code run_rows(gemp_shard **graph, const char *begin, const char *rows, const char *end, const char *merge)
{
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 }, ignored = { 0 };
	gemp_text_print(&text, "%s%s%s AS row %s", begin, rows, end, merge);
	GEMP_TRY(gemp_comm_agree(&test_comm, gemp_text_status(&text)));
	return write_graph(graph, text.data, &ignored);
}

static void compare_merge(const char *merge, uint64_t *random)
{
	GEMP_OWNED_BY(gemp_shard_free_at) gemp_shard *together = NULL, *apart = NULL;
	GEMP_OWNED_BY(gemp_text_free) gemp_text rows = { 0 }, a = { 0 }, b = { 0 };
	const size_t count = 1 + (size_t)gemp_random_below(random, MAX_ROWS);
	assert_all_ok(start(&together));
	assert_all_ok(start(&apart));
	for (size_t i = 0; i < count; i++) {
		GEMP_OWNED_BY(gemp_text_free) gemp_text row = { 0 };
		print_row(&row, random);
		gemp_text_print(&rows, "%s%s", i ? ", " : "", row.data);
		assert_all_ok(run_rows(&apart, "WITH ", row.data, "", merge));
	}
	assert_all_ok(run_rows(&together, "UNWIND [", rows.data, "]", merge));
	assert_all_ok(print_graph(together, &a));
	assert_all_ok(print_graph(apart, &b));
	const bool equal = test_comm.rank != 0 || strcmp(a.data, b.data) == 0;
	if (!equal)
		fprintf(stderr, "%s\n  with the rows %s\n  makes      %s\n  row by row %s\n", merge, rows.data, a.data, b.data);
	assert_all(equal);
}

static void one_query_and_many(void **state)
{
	uint64_t random = test_seed_all();
	(void)state;
	for (size_t i = 0; i < sizeof merges / sizeof *merges; i++)
		for (int round = 0; round < 6; round++)
			compare_merge(merges[i], &random);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes, open_context, close_context),
		cmocka_unit_test_setup_teardown(relationships, open_context, close_context),
		cmocka_unit_test_setup_teardown(updates, open_context, close_context),
		cmocka_unit_test_setup_teardown(one_query_and_many, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
