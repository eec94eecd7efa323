/* Tests conditions between two vertices that the search itself evaluates, and vertices that may repeat, against the
 * reference. */
#include "match_case.h"

#include "core/status.h"
#include "graph/graph.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"

enum { VERTICES = 15, EDGES = 36, GRAPH_SEED = 7 };

/* A query with its options. */
typedef struct search_case {
	const char *text;
	gemp_semantics semantics;
	const char *exists; /* text of an EXISTS whose vertices a and b are vertices 0 and 2 of `text`, or NULL */
	bool absent;
	uint64_t free; /* a bit for each vertex that may equal another vertex */
	gemp_distinct distinct;
	bool counted;
	const char *plan; /* in the printed plan exactly if the search compares key ranks; or NULL */
} search_case;

static const search_case table[] = {
	{ .text = "MATCH (a)-[]->(m)<-[]-(b) WHERE id(a) < id(b) RETURN a",
	  .semantics = GEMP_ISO,
	  .counted = true,
	  .plan = "; id(" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c) WHERE id(c) >= id(a) AND id(b) <> id(a) RETURN a",
	  .semantics = GEMP_HOM,
	  .distinct = GEMP_BY_NOTHING,
	  .plan = "; id(" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c) WHERE id(a) > id(b) AND a.number > c.number RETURN a",
	  .semantics = GEMP_EDGE_ISO,
	  .distinct = GEMP_BY_NOTHING,
	  .plan = "; id(" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d) WHERE a = c RETURN a",
	  .semantics = GEMP_HOM,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true },
	{ .text = "MATCH (a)-[:KNOWS]-(b)-[]-(c)-[]-(d) WHERE id(d) = id(b) RETURN a", .semantics = GEMP_EDGE_ISO },
	{ .text = "MATCH (a)-[]-(b)-[]-(c) RETURN a",
	  .semantics = GEMP_ISO,
	  .distinct = GEMP_BY_NOTHING,
	  .exists = "MATCH (a)-[:KNOWS]->(b) RETURN a",
	  .absent = true },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[]-(c) RETURN a",
	  .semantics = GEMP_HOM,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true,
	  .exists = "MATCH (a)<-[:ACTS_IN|KNOWS]-(b) RETURN a" },
	{ .text = "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(d) RETURN a, d",
	  .semantics = GEMP_EDGE_ISO,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true,
	  .exists = "MATCH (a)-[]-(b) RETURN a",
	  .absent = true },
	{ .text = "MATCH (a)-[:KNOWS]-(x)-[:KNOWS]-(y)-[:KNOWS]-(b) RETURN a, b",
	  .semantics = GEMP_ISO,
	  .free = 6,
	  .distinct = GEMP_BY_NOTHING,
	  .counted = true },
	{ .text = "MATCH (a)-[:KNOWS]-(x)-[:KNOWS]-(b), (a)-[:KNOWS]-(y)-[:KNOWS]-(b) RETURN a, b",
	  .semantics = GEMP_ISO,
	  .free = 10,
	  .distinct = GEMP_BY_ORBIT },
	{ .text = "MATCH (a)-[]->(x)-[]->(b) RETURN a, b", .semantics = GEMP_HOM, .free = 2, .distinct = GEMP_BY_NOTHING },
};
enum { SEARCH_CASES = sizeof table / sizeof *table };

static void graph_with_keys(case_graph *g, fixture_keys keys)
{
	fixture made = fixture_new(VERTICES, EDGES, keys, GRAPH_SEED);
	gemp_builder_options options = { .seed = GRAPH_SEED };
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, GRAPH_SEED));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, GRAPH_SEED));
	fixture_free(&made);
}

/* Adds WHERE [NOT] EXISTS { ... } to the pattern, as the parser would. */
static void add_exists(gemp_pattern *pattern, const gemp_shard *graph, const search_case *a)
{
	gemp_expr *exists = NULL, *top = NULL;
	pattern->subs = gemp_calloc(1, sizeof(struct gemp_pattern *));
	pattern->sub_count = 1;
	pattern->subs[0] = parse_question(&(question){ .text = a->exists }, graph);
	pattern->subs[0]->arguments = 2;
	assert_all_ok(gemp_expr_new(&exists, GEMP_EXISTS, 1, 1));
	assert_all_ok(gemp_expr_children(exists, 2));
	for (int i = 0; i < 2; i++) {
		assert_all_ok(gemp_expr_new(&exists->children[i], GEMP_VERTEX, 1, 1));
		exists->children[i]->variable = 2 * i;
	}
	top = exists;
	if (a->absent) {
		assert_all_ok(gemp_expr_new(&top, GEMP_NOT, 1, 1));
		assert_all_ok(gemp_expr_children(top, 1));
		top->children[0] = exists;
	}
	pattern->conditions = gemp_realloc(pattern->conditions, pattern->condition_count + 1, sizeof *pattern->conditions);
	pattern->conditions[pattern->condition_count++] = (gemp_condition){ .expr = top, .vertices = 5 };
}

static gemp_pattern *pattern_of(const search_case *a, const gemp_shard *graph)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = a->text }, graph);
	assert_non_null(pattern);
	if (a->exists)
		add_exists(pattern, graph, a);
	for (size_t v = 0; v < pattern->vertex_count; v++)
		pattern->vertices[v].repeatable = a->free >> v & 1;
	return pattern;
}

static void check(const case_graph *g, const search_case *a, const gemp_match_options *o, bool by_rank)
{
	gemp_pattern *pattern = pattern_of(a, g->distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	reference r;
	describe(&(question){ .text = a->text }, o);
	reference_new(&r, g->whole, pattern, o->semantics);
	assert_all_ok(gemp_match_prepare(&match, context, g->distributed, pattern, o));
	char *plan = gemp_match_explain(match);
	if (a->plan)
		assert_all((strstr(plan, a->plan) != NULL) == by_rank);
	assert_all_ok(gemp_match_run(match, o->listed ? &sink : NULL, &result));
	assert_all(numbers_are_right(&r, o, &result));
	if (o->listed) {
		collecting_gather(&rows);
		assert_all(rows_are_right(&r, o, &rows, result.matches));
	}
	gemp_free(plan);
	gemp_match_free(match);
	reference_free(&r);
	gemp_pattern_free(pattern);
	free(rows.rows);
}

static void check_all(const case_graph *g, int64_t replicate, size_t first, size_t end, bool by_rank)
{
	uint64_t random = test_seed_all();
	static const uint64_t results[] = { 0, 1, 7 }, outboxes[] = { 0, 1, 3 };
	for (size_t i = first; i < end; i++) {
		gemp_match_options o = plain_options;
		o.semantics = table[i].semantics;
		o.distinct = table[i].distinct;
		o.listed = !table[i].counted;
		o.replicate = replicate;
		context->budgets.result_buffer = results[gemp_random_below(&random, 3)];
		context->budgets.outbox = outboxes[gemp_random_below(&random, 3)];
		check(g, &table[i], &o, by_rank);
	}
}

static void all_rows_resident(void **state)
{
	(void)state;
	case_graph g;
	graph_with_keys(&g, KEYS_INTEGER);
	check_all(&g, GEMP_REPLICATE_ALL, 0, SEARCH_CASES, true);
	graph_free(&g);
}

static void only_own_rows_resident(void **state)
{
	(void)state;
	case_graph g;
	if (test_comm.size == 1)
		return;
	graph_with_keys(&g, KEYS_STRING);
	check_all(&g, 0, 0, SEARCH_CASES, true);
	graph_free(&g);
}

/* With integer and string keys in one graph, conditions compare keys as strings, but key ranks order integers first. So
 * the search must not compare key ranks. */
static void integer_and_string_keys(void **state)
{
	(void)state;
	case_graph g;
	graph_with_keys(&g, KEYS_MIXED);
	check_all(&g, GEMP_REPLICATE_ALL, 0, 3, false);
	graph_free(&g);
}

static void paths_in_an_induced_pattern(void **state)
{
	(void)state;
	case_graph g;
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	o.semantics = GEMP_INDUCED;
	graph_with_keys(&g, KEYS_INTEGER);
	gemp_pattern *pattern = pattern_of(&table[SEARCH_CASES - 1], g.distributed);
	assert_all_code(gemp_match_prepare(&match, context, g.distributed, pattern, &o), GEMP_EUSAGE);
	assert_message("no meaning under semantics induced");
	assert_null(match);
	gemp_pattern_free(pattern);
	graph_free(&g);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_rows_resident, open_context, close_context),
		cmocka_unit_test_setup_teardown(only_own_rows_resident, open_context, close_context),
		cmocka_unit_test_setup_teardown(integer_and_string_keys, open_context, close_context),
		cmocka_unit_test_setup_teardown(paths_in_an_induced_pattern, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
