/* Tests the interpreter of plans on small random multigraphs against the reference. It compiles no kernels, so a run
 * has many questions. */
#include "seeded_case.h"

static const question questions[] = {
	{ .shape = "triangle" },
	{ .shape = "cycle:4" },
	{ .shape = "cycle:5" },
	{ .shape = "path:4" },
	{ .shape = "clique:4" },
	{ .shape = "star:3" },
	{ .shape = "diamond" },
	{ .shape = "edges:0-1,1-2,2-3,3-0,3-4" },
	{ .shape = "edges:0-1,0-2,0-3,1-2,1-3,2-4,3-4" },
	{ .text = "MATCH (a)-[:KNOWS]->(b) RETURN a, b" },
	{ .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" },
	{ .text = "MATCH (a)-[e:KNOWS]->(b), (a)-[f:KNOWS]->(b)-[]->(c) RETURN a, e, b, f, c" },
	{ .text = "MATCH (a)-[e]->(b), (a)-[f]-(b) RETURN a, e, b, f" },
	{ .text = "MATCH (a)-[:KNOWS|ACTS_IN]->(b)-[]->(c) RETURN a, b" },
	{ .text = "MATCH (a)-[:KNOWS|ACTS_IN]->(b)-[]->(c) WHERE id(a) < id(c) RETURN a, b" },
	{ .text = "MATCH (a)-[]-(b), (a)-[]-(b) RETURN a" },
	{ .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b) RETURN a, b" },
	{ .text = "MATCH (a)-[:KNOWS]->(a), (a)-[]-(b)-[]-(b) RETURN a, b" },
	{ .text = "MATCH (a)-[:KNOWS]-(b)-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN count(*)" },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c)-[:KNOWS]->(a) RETURN a, b, c" },
	{ .text = "MATCH (a:Person)-[]-(b), (b)-[]->(c:Film|Actor) WHERE a <> c RETURN a, b, c" },
	{ .text = "MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c" },
	{ .text = "MATCH (a)-[]->(b)-[]->(c) WHERE a = c OR a.number > c.number RETURN a, b, c" },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[]->(c) WHERE NOT EXISTS { (a)-[:ACTS_IN]->(c) } RETURN a, b, c" },
	{ .text = "MATCH (a)-[:KNOWS]->(b)-[]->(c) WHERE EXISTS { (c)-[]->(a) } RETURN a, b, c" },
	{ .text = "MATCH (a)-[:ACTS_IN]->(b)<-[:ACTS_IN]-(c)-[:KNOWS]-(d) WHERE id(d) >= id(b) RETURN a, b, c, d" },
	{ .text = "MATCH (a:Film) RETURN a" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d), (a)-[:KNOWS]-(c) RETURN d" },
};
enum { QUESTIONS = sizeof questions / sizeof *questions, GRAPHS = 4 };

static gemp_match_options random_options(uint64_t *random)
{
	gemp_match_options o = plain_options;
	static const uint64_t results[] = { 0, 1, 2, 7 };
	o.place = GEMP_PLACE_HOST;
	o.semantics = (gemp_semantics)gemp_random_below(random, 4);
	o.distinct = (gemp_distinct)gemp_random_below(random, 4);
	o.symmetry_by_hash = gemp_random_below(random, 2);
	o.attributes = (gemp_condition_phase)gemp_random_below(random, 3);
	o.listed = gemp_random_below(random, 2);
	o.count_by_formula = gemp_random_below(random, 2);
	o.profile = gemp_random_below(random, 4) == 0;
	o.pivot_off = gemp_random_below(random, 5) == 0;
	context->budgets.result_buffer = results[gemp_random_below(random, 4)];
	TEST_LIMIT(interpret_walkers, (unsigned)gemp_random_below(random, 4));
	return o;
}

static void graphs_new(case_graph graphs[GRAPHS], uint64_t *random)
{
	graph_new(&graphs[0], 16, 30, false, gemp_random(random));
	graph_new(&graphs[1], 11, 22, true, gemp_random(random));
	graph_new(&graphs[2], 3, 7, false, gemp_random(random)); /* has fewer vertices than some tests have ranks */
	graph_new(&graphs[3], 12, 60, true, gemp_random(random));
}

static void graphs_free(case_graph graphs[GRAPHS])
{
	for (int i = 0; i < GRAPHS; i++)
		graph_free(&graphs[i]);
}

static void random_questions(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	case_graph graphs[GRAPHS];
	graphs_new(graphs, &random);
	for (int asked = 0; asked < 300;) {
		const question *q = &questions[gemp_random_below(&random, QUESTIONS)];
		gemp_match_options o = random_options(&random);
		asked += check_answer(&graphs[asked % GRAPHS], q, &o);
	}
	graphs_free(graphs);
}

/* Searches from given vertices, several times over the same interpreter. */
static bool check_one_seeded(const case_graph *graph, uint64_t *random)
{
	const question *q = &questions[gemp_random_below(random, QUESTIONS)];
	gemp_match_options o = random_options(random);
	gemp_pattern *pattern = parse_question(q, graph->distributed);
	if (!pattern)
		return false;
	o.distinct = GEMP_BY_NOTHING;
	o.listed = true;
	o.pivot_off = false;
	o.edges = gemp_random_below(random, 3) == 0;
	pattern->arguments = 1 + gemp_random_below(random, gemp_min(pattern->vertex_count, 3));
	for (size_t v = pattern->arguments; v < pattern->vertex_count; v++)
		pattern->vertices[v].repeatable = o.semantics != GEMP_INDUCED && gemp_random_below(random, 3) == 0;
	describe(q, &o);
	print_message("  %zu given\n", pattern->arguments);
	check_seeded(graph, pattern, &o, random);
	gemp_pattern_free(pattern);
	return true;
}

static void random_seeds(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	case_graph graphs[GRAPHS];
	graphs_new(graphs, &random);
	for (int asked = 0; asked < 100;)
		asked += check_one_seeded(&graphs[asked % (GRAPHS - 1)], &random);
	graphs_free(graphs);
}

/* With a budget of a few entries the interpreter gives up, and the devices answer. With a large budget it answers. */
static void gives_up(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	static const question asked[] = { { .shape = "triangle" },
		                              { .text = "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN a, e, b, f, c" } };
	for (int i = 0; i < 4; i++) {
		case_graph g;
		gemp_match_options o = plain_options;
		o.place = GEMP_PLACE_AUTO;
		o.listed = i % 2;
		o.distinct = i % 2 ? GEMP_BY_VERTICES : GEMP_BY_ORBIT;
		context->budgets.result_buffer = 0;
		graph_new(&g, 14, 40, true, gemp_random(&random));
		TEST_LIMIT(interpret_budget, i < 2 ? 2 : UINT64_C(1) << 20);
		assert_true(check_answer(&g, &asked[i % 2], &o));
		gemp_pattern *pattern = parse_question(&asked[i % 2], g.distributed);
		gemp_match *match = NULL;
		gemp_match_result result;
		assert_all_ok(gemp_match_prepare(&match, context, g.distributed, pattern, &o));
		assert_true(match->interpreter != NULL);
		collecting rows = { .wanted = SIZE_MAX };
		gemp_sink sink = collecting_sink(&rows);
		assert_all_ok(gemp_match_run(match, o.listed ? &sink : NULL, &result));
		assert_int_equal(result.on_host, i >= 2);
		free(rows.rows);
		gemp_match_free(match);
		gemp_pattern_free(pattern);
		graph_free(&g);
	}
}

/* A search that is expected to be large does not try the interpreter, and options about devices rule it out. */
static void is_not_tried(void **state)
{
	(void)state;
	question q = { .shape = "triangle" };
	case_graph g;
	graph_new(&g, 14, 40, true, 5);
	for (int i = 0; i < 4; i++) {
		gemp_match_options o = plain_options;
		gemp_match *match = NULL;
		gemp_pattern *pattern = parse_question(&q, g.distributed);
		o.place = GEMP_PLACE_AUTO;
		o.explained = true;
		o.exchange = i == 1 ? GEMP_EXCHANGE_PUSH : GEMP_EXCHANGE_AUTO;
		o.lanes = i == 2;
		context->budgets.result_buffer = 0;
		TEST_LIMIT(interpret_work, i == 3 ? 1 : 1000000);
		assert_all_ok(gemp_match_prepare(&match, context, g.distributed, pattern, &o));
		assert_int_equal(match->interpreter != NULL, i == 0);
		gemp_match_free(match);
		assert_all_ok(gemp_match_prepare_small(&match, context, g.distributed, pattern, &o));
		assert_int_equal(match != NULL, i == 0);
		gemp_match_free(match);
		gemp_pattern_free(pattern);
	}
	graph_free(&g);
}

static int open_without_devices(void **state)
{
	(void)state;
	static const gemp_budgets none;
	gemp_comm_new(&alone, MPI_COMM_SELF);
	return gemp_runtime_new(&context, &test_comm, NULL, &none) == GEMP_OK ? 0 : -1;
}

/* The limits send conditions, searches, or both to devices, or let the interpreter give up. The answers are the same,
 * and a question that threads of the host answer opens no device. */
static void random_places(void **state)
{
	(void)state;
	static const question asked[] = {
		{ .text = "MATCH (a:Person)-[]->(b) WHERE a.number > 0 AND b.name CONTAINS 'a' RETURN a, b" },
		{ .text = "MATCH (a)-[]-(b)-[:KNOWS]-(c) WHERE a.number + 1 > 0 AND NOT c.flag RETURN a, b, c" },
		{ .text = "MATCH (a)-[]->(b) WHERE a.name IN ['Jack', 'Jill'] OR b.number IS NULL OR a.ratio < 2 RETURN a, b" },
	};
	uint64_t random = test_seed_all();
	for (int i = 0; i < 12; i++) {
		case_graph g;
		gemp_match_options o = plain_options;
		bool filters = gemp_random_below(&random, 3), small = gemp_random_below(&random, 3);
		bool fits = gemp_random_below(&random, 3), opened = context->device != NULL;
		o.place = GEMP_PLACE_AUTO;
		o.attributes = (gemp_condition_phase)gemp_random_below(&random, 3);
		o.listed = gemp_random_below(&random, 2);
		context->budgets.result_buffer = 0;
		TEST_LIMIT(filter_values, filters ? UINT64_C(1) << 20 : 0);
		TEST_LIMIT(interpret_work, small ? UINT64_C(1) << 20 : 0); /* the limit is for each thread */
		TEST_LIMIT(interpret_budget, fits ? UINT64_C(1) << 20 : 1);
		graph_new(&g, 15, 40, false, gemp_random(&random));
		while (!check_answer(&g, &asked[i % 3], &o)) { /* the graph lacks a label or relation of the question */
			graph_free(&g);
			graph_new(&g, 15, 40, false, gemp_random(&random));
		}
		assert_all(filters && small && fits ? opened == (context->device != NULL)
		                                    : context->device || (filters && small));
		graph_free(&g);
	}
	TEST_LIMIT_DEFAULT(filter_values);
	TEST_LIMIT_DEFAULT(interpret_work);
	TEST_LIMIT_DEFAULT(interpret_budget);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(random_questions, open_context, close_context),
		cmocka_unit_test_setup_teardown(random_seeds, open_context, close_context),
		cmocka_unit_test_setup_teardown(random_places, open_without_devices, close_context),
		cmocka_unit_test_setup_teardown(gives_up, open_context, close_context),
		cmocka_unit_test_setup_teardown(is_not_tried, open_context, close_context),
	};
	TEST_LIMIT(interpret_serial, 0); /* small searches on all threads */
	return test_main_all(argc, argv, tests);
}
