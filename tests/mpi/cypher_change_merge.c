/* MERGE: what it finds, what it creates, and how the rows of one MERGE see each other's elements. */

#include "cypher_change_case.h"

static void nodes(void **state)
{
	(void)state;
	CHANGES(EMPTY, "MERGE (a) RETURN count(*)", "1 ; +1-0 nodes +0-0 edges 0 properties +0-0 labels", ALL_NODES,
	        "1 [] {}");
	CHANGES(SMALL, "MERGE (a) RETURN a.num", "10|11|12|13 ; +0-0 nodes +0-0 edges 0 properties +0-0 labels", NULL,
	        NULL);
	CHANGES(SMALL, "UNWIND [12, 7, 10, 7, 12] AS x MERGE (a:Even {num: x}) RETURN a, x",
	        "2 12|4 7|0 10|4 7|2 12 ; +1-0 nodes +0-0 edges 1 properties +0-0 labels", "MATCH (a:Even) RETURN a.num",
	        "10|12|7");
	CHANGES(SMALL, "UNWIND [11, 1.5, 11.0] AS x MERGE (a {num: x}) RETURN a, a.num",
	        "1 11|4 1.5|1 11 ; +1-0 nodes +0-0 edges 1 properties +0-0 labels", "MATCH (a) RETURN a.num",
	        "10|11|12|13|1.5");
	CHANGES(EMPTY, "UNWIND [0.0 / 0.0, 0.0 / 0.0] AS x MERGE (a {num: x}) RETURN count(*)",
	        "2 ; +2-0 nodes +0-0 edges 2 properties +0-0 labels", NULL, NULL);
	CHANGES(EMPTY, "CREATE (:X), (:X) MERGE (x:X) MERGE (y:Y) RETURN x, y",
	        "1 3|2 3 ; +3-0 nodes +0-0 edges 0 properties +0-0 labels", NULL, NULL);
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
	        "0 4|1 5|2 6|3 7 ; +4-0 nodes +4-0 edges 4 properties +0-0 labels", "MATCH (b:Leaf) RETURN b.of",
	        "10|11|12|13");
	CHANGES(SMALL,
	        "UNWIND [2, 5, 5] AS w MATCH (a {num: 10}), (b {num: 11}) MERGE (a)-[r:R {weight: w}]->(b) RETURN r.weight",
	        "2|5|5 ; +0-0 nodes +1-0 edges 1 properties +0-0 labels", NULL, NULL);
	CHANGES(
		EMPTY,
		"UNWIND [[1, 2], [2, 3], [1, 2], [3, 1]] AS e MERGE (a:N {k: e[0]}) MERGE (b:N {k: e[1]}) MERGE (a)-[r:T]->(b) "
		"SET r.n = coalesce(r.n, 0) + 1 RETURN count(*)",
		"4 ; +3-0 nodes +3-0 edges 7 properties +0-0 labels", "MATCH (a)-[r]->(b) RETURN a.k, b.k, r.n ORDER BY a.k",
		"1 2 2|2 3 1|3 1 1");
	/* the second row finds one relationship of the graph and one that the first row has made */
	CHANGES(
		SMALL,
		"MATCH (a {num: 10}), (b {num: 11}), (c {num: 12}), (d {num: 13}) UNWIND [[b, d, a], [a, b, d]] AS x WITH x[0] "
		"AS p, x[1] AS q, x[2] AS s MERGE (p)-[:R]->(q)-[:R]->(s)",
		"+0-0 nodes +2-0 edges 0 properties +0-0 labels", "MATCH (a)-[r:R]->(b) RETURN a, b", "0 1|0 1|1 3|3 0");
	CHANGES(EMPTY, "UNWIND [1, 2] AS x MERGE (a:A)-[r:T]-(b:A) RETURN count(*)",
	        "3 ; +2-0 nodes +1-0 edges 0 properties +0-0 labels", NULL, NULL);
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
	        "1 2|1 2|2 2|3 4 ; +3-0 nodes +0-0 edges 6 properties +0-0 labels", "MATCH (a) RETURN a.k", "2|2|4");
	CHANGES(SMALL, "UNWIND [10, 20, 10] AS x MERGE (a {num: x}) ON MATCH SET a += {num: 20} RETURN a",
	        "0|0|4 ; +1-0 nodes +0-0 edges 2 properties +0-0 labels", "MATCH (a) RETURN a.num", "20|11|12|13|10");
	CHANGES(
		EMPTY,
		"UNWIND [{id: 1, v: 'a'}, {id: 2, v: 'b'}, {id: 1, v: 'c'}] AS row MERGE (a:A {id: row.id}) ON CREATE SET a = row",
		"+2-0 nodes +0-0 edges 4 properties +0-0 labels", "MATCH (a) RETURN a.id, a.v", "1 \"a\"|2 \"b\"");
	CHANGES(SMALL, "MATCH (n {num: 10}) MERGE (m {num: n.num + 1}) ON MATCH SET n.num = 11 RETURN m",
	        "1 ; +0-0 nodes +0-0 edges 1 properties +0-0 labels", NULL, NULL);
	CHANGES(EMPTY, "FOREACH (x IN [1, 2, 1] | MERGE (:A {x: x}))", "+2-0 nodes +0-0 edges 2 properties +0-0 labels",
	        NULL, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nodes, open_context, close_context),
		cmocka_unit_test_setup_teardown(relationships, open_context, close_context),
		cmocka_unit_test_setup_teardown(updates, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
