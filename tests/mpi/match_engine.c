/* Tests the match engine from prepare to sink against the reference. A table lists semantics, definitions of distinct
 * matches, symmetry and phases of conditions. Replica budgets and sizes of buffers are random, because the result must
 * not depend on them. */
#include "match_case.h"

/* A pattern with its options. */
typedef struct search_case {
	question question;
	gemp_semantics semantics;
	gemp_distinct distinct;
	bool hash, counted;
	gemp_condition_phase attributes;
} search_case;

static const search_case table[] = {
	{ .question = { .shape = "triangle" }, .semantics = GEMP_ISO, .distinct = GEMP_BY_ORBIT, .counted = true },
	{ .question = { .shape = "triangle" }, .semantics = GEMP_ISO, .distinct = GEMP_BY_ORBIT, .hash = true },
	{ .question = { .shape = "cycle:4" }, .semantics = GEMP_EDGE_ISO, .distinct = GEMP_BY_ORBIT },
	{ .question = { .shape = "cycle:4" }, .semantics = GEMP_INDUCED, .distinct = GEMP_BY_VERTICES },
	{ .question = { .shape = "cycle:4" }, .semantics = GEMP_HOM, .distinct = GEMP_BY_NOTHING, .counted = true },
	{ .question = { .shape = "clique:4" }, .semantics = GEMP_ISO, .distinct = GEMP_BY_NOTHING },
	{ .question = { .shape = "diamond" }, .semantics = GEMP_ISO, .distinct = GEMP_BY_VERTICES, .hash = true },
	{ .question = { .shape = "path:4" }, .semantics = GEMP_HOM, .distinct = GEMP_BY_SUBGRAPH },
	{ .question = { .shape = "star:3" }, .semantics = GEMP_INDUCED, .distinct = GEMP_BY_ORBIT },
	{ .question = { .shape = "edges:0-1,1-2,2-3,3-0,3-4" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_SUBGRAPH,
	  .counted = true },
	{ .question = { .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_ORBIT },
	{ .question = { .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
	  .semantics = GEMP_EDGE_ISO,
	  .distinct = GEMP_BY_NOTHING },
	/* one subgraph is the image of two orbits */
	{ .question = { .text = "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c) RETURN a" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_SUBGRAPH },
	{ .question = { .text = "MATCH (a)-[:KNOWS|ACTS_IN]->(b)-[]->(c) RETURN a, b" },
	  .semantics = GEMP_INDUCED,
	  .distinct = GEMP_BY_SUBGRAPH },
	{ .question = { .text = "MATCH (a)-[]-(b), (a)-[]-(b) RETURN a" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_ORBIT,
	  .counted = true },
	{ .question = { .text = "MATCH (a)-[]-(b), (a)-[]-(b) RETURN a" },
	  .semantics = GEMP_HOM,
	  .distinct = GEMP_BY_ORBIT,
	  .hash = true },
	{ .question = { .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b) RETURN a, b" },
	  .semantics = GEMP_EDGE_ISO,
	  .distinct = GEMP_BY_ORBIT },
	{ .question = { .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b) RETURN a, b" },
	  .semantics = GEMP_INDUCED,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true },
	{ .question = { .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a) RETURN a, b, c" },
	  .semantics = GEMP_INDUCED,
	  .distinct = GEMP_BY_ORBIT },
	{ .question = { .text = "MATCH (a:Person)-[]-(b), (b)-[]->(c:Film|Actor) WHERE a <> c RETURN a, b, c" },
	  .semantics = GEMP_HOM,
	  .distinct = GEMP_BY_ORBIT },
	{ .question = { .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_ORBIT,
	  .attributes = GEMP_CONDITIONS_BEFORE },
	{ .question = { .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_VERTICES,
	  .attributes = GEMP_CONDITIONS_AFTER,
	  .counted = true },
	{ .question = { .text = "MATCH (a:Film) RETURN a" }, .semantics = GEMP_ISO, .distinct = GEMP_BY_ORBIT },
	{ .question = { .text = "MATCH (a) WHERE id(a) > 5000000 RETURN a" },
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true },
};
enum { SEARCH_CASES = sizeof table / sizeof *table, VERTICES = 16, EDGES = 34, GRAPH_SEED = 7 };

/* The graph is always the same, so that kernels come from the cache. */
static void check_all(uint64_t *random, int64_t replicate, bool pivot_off, size_t step)
{
	case_graph g;
	static const uint64_t results[] = { 0, 1, 2, 7 }, outboxes[] = { 0, 1, 2 };
	graph_new(&g, VERTICES, EDGES, false, GRAPH_SEED);
	for (size_t i = 0; i < SEARCH_CASES; i += step) {
		const search_case *a = &table[i];
		gemp_match_options o = plain_options;
		o.semantics = a->semantics;
		o.distinct = a->distinct;
		o.symmetry_by_hash = a->hash;
		o.attributes = a->attributes;
		o.listed = !a->counted;
		o.replicate = replicate;
		o.pivot_off = pivot_off;
		context->budgets.result_buffer = results[gemp_random_below(random, 4)];
		context->budgets.outbox = outboxes[gemp_random_below(random, 3)];
		assert_true(check_answer(&g, &a->question, &o));
	}
	graph_free(&g);
}

static void all_rows_resident(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	check_all(&random, GEMP_REPLICATE_ALL, false, 1);
}

/* A single rank has all rows whatever the budget is, so only several ranks run this test. */
static void only_own_rows_resident(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	if (test_comm.size > 1)
		check_all(&random, 0, false, 1);
}

static void some_rows_replicated(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	if (test_comm.size > 1)
		check_all(&random, 200 + (int64_t)gemp_random_below(&random, 800), false, 1);
}

static void order_of_the_text(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	check_all(&random, GEMP_REPLICATE_AUTO, true, 4);
}

/* Graphs without vertices, without edges, and with fewer vertices than ranks. */
static void small_graphs(void **state)
{
	(void)state;
	case_graph g;
	static const question all[] = { { .shape = "triangle" }, { .shape = "path:4" }, { .text = "MATCH (a) RETURN a" } };
	for (size_t vertices = 0; vertices < 4; vertices++) {
		gemp_match_options o = plain_options;
		o.replicate = vertices % 2 ? 0 : GEMP_REPLICATE_ALL;
		graph_new(&g, vertices, vertices == 2 ? 0 : 6, false, vertices);
		for (size_t i = 0; i < sizeof all / sizeof *all; i++)
			assert_true(check_answer(&g, &all[i], &o));
		graph_free(&g);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_rows_resident, open_context, close_context),
		cmocka_unit_test_setup_teardown(only_own_rows_resident, open_context, close_context),
		cmocka_unit_test_setup_teardown(some_rows_replicated, open_context, close_context),
		cmocka_unit_test_setup_teardown(order_of_the_text, open_context, close_context),
		cmocka_unit_test_setup_teardown(small_graphs, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
