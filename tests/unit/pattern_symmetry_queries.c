/* Tests automorphisms of whole queries: subpatterns, optional parts, paths and clauses can distinguish vertices that
 * look alike in MATCH. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/log.h"
#include "core/status.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"
#include "pattern/symmetry/automorphism.h"
#include "pattern/symmetry/permutation_group.h"

#include <string.h>

/* A graph with labels P and Q, relations T (with an attribute w) and U, and vertex attributes n and s. */
static gemp_shard graph;

static int make_graph(void **state)
{
	(void)state;
	static char *labels[] = { "P", "Q" };
	static uint32_t p[] = { 0 }, q[] = { 1 };
	static gemp_label_set sets[] = { { 1, p, 1 }, { 1, q, 1 } };
	static gemp_column props[] = { { .name = "w", .type = GEMP_INTEGER } };
	static gemp_relation relations[] = { { .name = "T", .directed = true, .props = { .count = 1, .columns = props } },
		                                 { .name = "U", .directed = true } };
	static gemp_column columns[] = { { .name = "n", .type = GEMP_INTEGER }, { .name = "s", .type = GEMP_STRING } };
	graph = (gemp_shard){ .ranks = 1,
		                  .label_count = 2,
		                  .labels = labels,
		                  .label_set_count = 2,
		                  .label_sets = sets,
		                  .relation_count = 2,
		                  .relations = relations };
	graph.attributes = (gemp_table){ .count = 2, .columns = columns };
	gemp_log_set_level(GEMP_QUIET);
	return 0;
}

static uint64_t order_of(const gemp_pattern *pattern)
{
	gemp_symmetry *symmetry;
	bool overflow;
	assert_ok(gemp_automorphism_find(&symmetry, pattern, true));
	uint64_t order = gemp_symmetry_order(symmetry, &overflow);
	assert_int_equal(symmetry->points, pattern->vertex_count + pattern->edge_count);
	gemp_symmetry_free(symmetry);
	return order;
}

static gemp_pattern *bound(const char *text)
{
	gemp_pattern *pattern = NULL;
	assert_ok(gemp_pattern_parse(&pattern, text, NULL));
	assert_ok(gemp_pattern_bind(pattern, &graph));
	return pattern;
}

static void orders(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t order;
	} cases[] = {
		{ "MATCH (a)--(b) RETURN a, b", 2 },
		/* subpatterns */
		{ "MATCH (a)--(b) WHERE NOT (a)-[:T]->(b) RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE NOT (a)-[:T]-(b) RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE NOT (a)-[:T]->(b) AND NOT (b)-[:T]->(a) RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE (a)-[:T]->(b) AND NOT (b)-[:T]->(a) RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->() } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->() } AND EXISTS { (b)-->() } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(:P) } AND EXISTS { (b)-->(:P) } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(:P) } AND EXISTS { (b)-->(:Q) } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(:P) } AND NOT EXISTS { (b)-->(:P) } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(x)<--(b) } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(x)-->(b) } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(x)<--(b) WHERE x.n > a.n } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(x)<--(b) WHERE x.n > a.n AND x.n > b.n } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-->(x)<--(b) WHERE a.n = 1 } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-[r:T]->(x)<-[s:T]-(b) WHERE r.w < s.w } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-[r:T]->(x)<-[s:T]-(b) WHERE r.w <> s.w } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)-[:T*1..2]->(x)<-[:T*1..3]-(b) } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)--(x)--(b) WHERE NOT EXISTS { (x)-->(a) } } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)--(x)--(b) WHERE NOT EXISTS { (x)-->(y) WHERE y.n = 3 } } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE EXISTS { (x)-->(y:P) } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE COUNT { (a)-->(:P) } > COUNT { (b)-->(:P) } RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE COUNT { (a)-->(:P) } = COUNT { (b)-->(:P) } RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE COUNT { (a)-->(:P) } + COUNT { (b)-->(:P) } > 3 RETURN a, b", 2 },
		{ "MATCH (a)--(b) WHERE COUNT { (a)-->() } - COUNT { (b)-->() } > 3 RETURN a, b", 1 },
		{ "MATCH (a)--(b) WHERE COUNT { (a)-->() } * COUNT { (b)-->() } > 3 RETURN a, b", 2 },
		{ "MATCH (a)--(m)--(b) WHERE COUNT { (a)-[:T]->() } > 1 AND COUNT { (b)-[:U]->() } > 1 RETURN a, b", 1 },
		/* paths */
		{ "MATCH (a)-[:T*1..3]-(b) RETURN a, b", 2 },
		{ "MATCH (a)-[:T*1..2]-(m)-[:T*1..3]-(b) RETURN a, b", 1 },
		{ "MATCH (a)-[:T*1..2]-(m)-[:T*1..2]-(b) RETURN a, b", 2 },
		{ "MATCH (a)-[:T*1..1]-(m)-[:T]-(b) RETURN a, b", 1 },
		/* optional parts */
		{ "MATCH (a)--(b) OPTIONAL MATCH (a)-->(c) RETURN a, b", 1 },
		{ "MATCH (a)--(b) OPTIONAL MATCH (a)-->(c)<--(b) RETURN a, b, c", 2 },
		{ "MATCH (a)--(b) OPTIONAL MATCH (a)-->(c)<--(b) WHERE c.n > b.n RETURN a, b, c", 1 },
		{ "MATCH (a)--(b) OPTIONAL MATCH (a)-->(c) OPTIONAL MATCH (b)-->(d) RETURN a, b", 1 },
		{ "MATCH (a)--(b) OPTIONAL MATCH (a)--(c)--(b) RETURN a, b, c.n > a.n AS x", 1 },
		/* clauses */
		{ "MATCH (a)--(b) RETURN a", 1 },
		{ "MATCH (a)--(b) RETURN a.n + b.n AS x", 2 },
		{ "MATCH (a)--(b) RETURN a.n - b.n AS x", 1 },
		{ "MATCH (a)--(b) RETURN a.s + b.s AS x", 1 },
		{ "MATCH (a)--(b) RETURN a.n = b.n AS x", 2 },
		{ "MATCH (a)--(b) RETURN DISTINCT a, b", 2 },
		{ "MATCH (a)--(b) RETURN a, b ORDER BY a.n", 1 },
		{ "MATCH (a)--(b) RETURN a, b ORDER BY a.n + b.n", 2 },
		{ "MATCH (a)--(b) RETURN a.n, b.n ORDER BY a.n, b.n", 1 },
		{ "MATCH (a)--(b) RETURN count(*)", 2 },
		{ "MATCH (a)--(b) RETURN a, count(b)", 1 },
		{ "MATCH (a)--(b) RETURN count(a), count(b)", 2 },
		{ "MATCH (a)--(b) RETURN count(a), count(DISTINCT b)", 1 },
		{ "MATCH (a)--(b) RETURN min(a.n), max(b.n)", 1 },
		{ "MATCH (a)--(m)--(b) RETURN m, COUNT { (a)-->(:P) } AS x, COUNT { (b)-->(:P) } AS y", 2 },
		{ "MATCH (a)--(b) WITH a, b WHERE a.n < b.n RETURN a", 1 },
		{ "MATCH (a)--(b) WITH a, b WHERE a.n <> b.n RETURN a", 2 },
		{ "MATCH (a)--(b) WITH a.n AS p, b.n AS q WHERE p < q RETURN p", 1 },
		{ "MATCH (a)--(b) WITH a.n AS p, b.n AS q WHERE p + q > 3 RETURN p", 2 },
		{ "MATCH (a)--(b) WITH a.n AS p, b.n AS q WHERE p > 3 RETURN p", 1 },
		{ "MATCH (a)--(m)--(b) WITH a, b, count(m) AS c WHERE c > 3 RETURN a, c", 2 },
	};
	int wrong = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *pattern = bound(cases[i].text);
		uint64_t order = order_of(pattern);
		if (order != cases[i].order)
			print_error("%d: %s: order %d, expected %d\n", ++wrong, cases[i].text, (int)order, (int)cases[i].order);
		gemp_pattern_free(pattern);
	}
	assert_int_equal(wrong, 0);
	assert_int_equal(gemp_memory_blocks(), 0);
}

/* An automorphism of a subpattern fixes the vertices that it shares with the outer pattern. */
static void shared_vertices_are_fixed(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t order;
	} cases[] = {
		{ "MATCH (a) WHERE EXISTS { (a)--(x), (a)--(y) }", 2 },
		{ "MATCH (a) WHERE EXISTS { (a)--(x:P), (a)--(y) }", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)--(x:P)--(b) }", 1 },
		{ "MATCH (a)--(b) WHERE EXISTS { (a)--(x)--(b), (a)--(y)--(b), (a)--(z)--(b) }", 6 },
		{ "MATCH (a)--(b) WHERE EXISTS { (x)--(y)--(z) }", 2 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *pattern = bound(cases[i].text);
		assert_int_equal(order_of(pattern->subs[0]), cases[i].order);
		gemp_pattern_free(pattern);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code find_once(void *text)
{
	gemp_pattern *pattern = NULL;
	gemp_symmetry *symmetry = NULL;
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_pattern_parse(&pattern, text, NULL));
	GEMP_TRY_DONE(gemp_pattern_bind(pattern, &graph));
	code = gemp_automorphism_find(&symmetry, pattern, true);
done:
	gemp_symmetry_free(symmetry);
	gemp_pattern_free(pattern);
	return code;
}

static void no_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(find_once, "MATCH (a)--(b) WHERE EXISTS { (a)--(x) WHERE x.n > b.n AND NOT (x)-->(b) } "
	                                     "XOR COUNT { (b)-->() } > 2 OPTIONAL MATCH (b)-[r:T]->(c) WHERE r.w + 1 < c.n "
	                                     "WITH a, b, count(c) AS n WHERE n * 2 > a.n RETURN a, b, n ORDER BY n");
}

/* Edges of different MATCH are not exchangeable, since only edges of one MATCH must differ. A name that WITH hides and
 * a later MATCH binds is another vertex, and a name for an attribute stands for the attribute. */
static void chains_of_match(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t order;
		size_t vertices, edges, conditions;
	} cases[] = {
		{ "MATCH (a)-[:T]->(b), (a)-[:T]->(c) RETURN count(*)", 2, 3, 2, 0 },
		{ "MATCH (a)-[:T]->(b) MATCH (a)-[:T]->(c) RETURN count(*)", 1, 3, 2, 0 },
		{ "MATCH (a)-[:T]->(b) WITH a MATCH (a)-[:T]->(b), (a)-[:T]->(c) RETURN count(*)", 2, 4, 3, 0 },
		{ "MATCH (a)-[:T]->(b) WITH b AS a, a AS b MATCH (a)-[:T]->(b) WHERE a.n > 1 RETURN count(*)", 1, 2, 2, 1 },
		{ "MATCH (a)-[:T]->(b) WITH a, b.n AS m WHERE m > 2 MATCH (a)-[:T]->(c) WHERE c.n = m RETURN m", 1, 3, 2, 2 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		gemp_pattern *pattern = NULL;
		assert_ok(gemp_pattern_parse_chain(&pattern, cases[i].text, NULL, NULL, 0, NULL));
		assert_ok(gemp_pattern_bind(pattern, &graph));
		assert_int_equal(order_of(pattern), cases[i].order);
		assert_int_equal(pattern->vertex_count, cases[i].vertices);
		assert_int_equal(pattern->edge_count, cases[i].edges);
		assert_int_equal(pattern->condition_count, cases[i].conditions);
		gemp_pattern_free(pattern);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(shared_vertices_are_fixed),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(chains_of_match),
	};
	return cmocka_run_group_tests(tests, make_graph, NULL);
}
