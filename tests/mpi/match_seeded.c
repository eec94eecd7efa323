/* Tests searches that start from given vertices (seeds) against the reference. Each embedding that extends a seed must
 * be found once, wherever the seeds lie, with several replica budgets and sizes of buffers, and in several runs over
 * the same buffers. */
#include "seeded_case.h"

enum { VERTICES = 16, EDGES = 40, GRAPH_SEED = 7 };

/* A query whose first vertices are given. */
typedef struct search_case {
	const char *text; /* the seeds assign the first `given` vertices of the text */
	size_t given;
	gemp_semantics semantics;
} search_case;

static const search_case table[] = {
	{ "MATCH (a)-[:KNOWS]->(b) RETURN a", 1, GEMP_ISO },
	{ "MATCH (a:Person)-[]-(b)-[]->(c:Film) RETURN a", 1, GEMP_HOM },
	{ "MATCH (a)-[]->(c)<-[]-(b) WHERE a.number > 0 AND c.number < b.number RETURN a", 2, GEMP_ISO },
	{ "MATCH (a)-[]-(b), (a)-[:KNOWS]->(c), (c)-[]-(b) RETURN a", 2, GEMP_EDGE_ISO },
	{ "MATCH (a)-[:KNOWS]->(b)-[]-(c)-[]-(a) RETURN a", 3, GEMP_HOM },
	{ "MATCH (a)-[:KNOWS]->(b)-[]-(c)-[]-(a) RETURN a", 3, GEMP_ISO },
	{ "MATCH (a)-[]->(b), (a)-[:KNOWS]->(a) RETURN a", 2, GEMP_HOM },
	{ "MATCH (a)-[:KNOWS]->(b), (b)-[:KNOWS]->(c) RETURN a", 2, GEMP_INDUCED },
	{ "MATCH (a)-[e:KNOWS]-(b)-[f:KNOWS]-(c) RETURN e, f", 2, GEMP_ISO },
	{ "MATCH (a:Person) WHERE a.number > 0 RETURN a", 1, GEMP_ISO },
	{ "MATCH (a)-[:KNOWS]-(b)-[]-(c)-[]-(d)-[]-(a) RETURN a", 1, GEMP_ISO },
};
enum { SEARCH_CASES = sizeof table / sizeof *table };

static case_graph graph;

static int setup(void **state)
{
	int code = open_context(state);
	graph_new(&graph, VERTICES, EDGES, false, GRAPH_SEED);
	return code;
}

static int teardown(void **state)
{
	graph_free(&graph);
	return close_context(state);
}

static void check_one(const search_case *a, const gemp_match_options *o, uint64_t *random)
{
	gemp_pattern *pattern = parse_question(&(question){ .text = a->text }, graph.distributed);
	assert_non_null(pattern);
	describe(&(question){ .text = a->text }, o);
	pattern->arguments = a->given;
	check_seeded(&graph, pattern, o, random);
	gemp_pattern_free(pattern);
}

static gemp_match_options seeded_options(const search_case *a, int64_t replicate)
{
	gemp_match_options o = plain_options;
	o.semantics = a->semantics;
	o.distinct = GEMP_BY_NOTHING;
	o.replicate = replicate;
	return o;
}

static void check_all(int64_t replicate, size_t step)
{
	uint64_t random = test_seed_all();
	static const uint64_t results[] = { 0, 1, 7 }, outboxes[] = { 0, 1, 3 };
	if (test_comm.size > 4) /* rounds of many ranks are slow on few cores */
		step *= 3;
	for (size_t i = 0; i < SEARCH_CASES; i += step) {
		gemp_match_options o = seeded_options(&table[i], replicate);
		context->budgets.result_buffer = results[gemp_random_below(&random, 3)];
		context->budgets.outbox = outboxes[gemp_random_below(&random, 3)];
		check_one(&table[i], &o, &random);
	}
}

static void all_rows_resident(void **state)
{
	(void)state;
	check_all(GEMP_REPLICATE_ALL, test_comm.size == 1 ? 1 : 3);
}

static void only_own_rows_resident(void **state)
{
	(void)state;
	if (test_comm.size > 1)
		check_all(0, test_comm.size == 3 ? 1 : 2);
}

static void some_rows_replicated(void **state)
{
	(void)state;
	if (test_comm.size > 1)
		check_all(600, 3);
}

/* There are many workers, and partial matches can become tasks of their own. */
static void kernels_for_gpus(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	bool gpu = context->device->gpu;
	if (test_comm.size > 2)
		return;
	context->device->gpu = true;
	for (size_t i = 2; i < SEARCH_CASES; i += 4) {
		gemp_match_options o = seeded_options(&table[i], i % 8 == 2 ? 0 : GEMP_REPLICATE_ALL);
		o.lanes = gpu ? 0 : 1;
		context->budgets.outbox = 5;
		context->budgets.result_buffer = 7;
		check_one(&table[i], &o, &random);
	}
	context->device->gpu = gpu;
}

/* first_only: one row for each seed is enough. Exactly the seeds that have matches must have rows, and there must be
 * fewer rows than matches, unless a condition is tested after the search. */
static void check_first_only(const char *text, int64_t replicate, bool tested_after)
{
	search_case a = { text, 1, GEMP_HOM };
	gemp_match_options o = seeded_options(&a, replicate);
	gemp_pattern *pattern = parse_question(&(question){ .text = text }, graph.distributed);
	gemp_match *match = NULL;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	reference r;
	uint64_t random = test_seed_all(), found = 0, there = 0;
	seeds s = choose_seeds(graph.whole, 1, 100, &random);
	pattern->arguments = 1;
	o.first_only = true;
	context->budgets.result_buffer = 1;
	reference_new(&r, graph.whole, pattern, GEMP_HOM);
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all_ok(gemp_match_run_seeded(match, s.own, s.own_count, &sink, NULL));
	collecting_gather(&rows);
	for (size_t k = 0; k < rows.count; k++)
		found |= UINT64_C(1) << rows.rows[k].at[0];
	for (size_t k = 0; k < r.count; k++)
		there |= UINT64_C(1) << r.list[k].at[0];
	assert_all(found == there && (tested_after ? rows.count == r.count : rows.count < r.count));
	if (replicate == GEMP_REPLICATE_ALL && !tested_after)
		assert_all(rows.count == (size_t)__builtin_popcountll(there));
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	reference_free(&r);
	free(rows.rows);
	free_seeds(&s);
}

static void first_row_of_each_seed(void **state)
{
	(void)state;
	check_first_only("MATCH (a)-[]-(b)-[]-(c) RETURN a", GEMP_REPLICATE_ALL, false);
	check_first_only("MATCH (a)-[]-(b)-[]-(c) RETURN a", 0, false);
	check_first_only("MATCH (a)-[]-(b)-[]-(c) WHERE c.number < b.number RETURN a", GEMP_REPLICATE_ALL, true);
}

/* A run that its sink has stopped early does not affect the next run, which finds everything. */
static void stopped_run_does_not_affect_next(void **state)
{
	(void)state;
	static const search_case a = { "MATCH (a)-[]-(b)-[]-(c)-[]-(d) RETURN a", 1, GEMP_HOM };
	gemp_match_options o = seeded_options(&a, 0);
	gemp_pattern *pattern = parse_question(&(question){ .text = a.text }, graph.distributed);
	gemp_match *match = NULL;
	uint64_t random = test_seed_all();
	seeds s = choose_seeds(graph.whole, 1, 100, &random);
	reference r;
	pattern->arguments = 1;
	context->budgets.outbox = 2;
	context->budgets.result_buffer = 3;
	reference_new(&r, graph.whole, pattern, GEMP_HOM);
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	for (int run = 0; run < 2; run++) {
		collecting rows = { .wanted = run ? SIZE_MAX : 1 };
		gemp_sink sink = collecting_sink(&rows);
		if (run && test_comm.size > 3) /* rounds of many ranks are slow on few cores */
			break;
		assert_all_ok(gemp_match_run_seeded(match, s.own, s.own_count, &sink, NULL));
		assert_all(run == 0 || gemp_comm_sum1(&test_comm, rows.count) == r.count);
		free(rows.rows);
	}
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	reference_free(&r);
	free_seeds(&s);
}

/* Several runs with conditions that are tested after the search. Values of rows of an earlier run must not be taken for
 * values of this run's rows. */
static void conditions_after_each_run(void **state)
{
	(void)state;
	static const search_case a = {
		"MATCH (a)-[]->(b)<-[]-(c) WHERE a.number > 0 AND c.number < b.number RETURN a, b, c", 2, GEMP_ISO
	};
	uint64_t random = test_seed_all();
	gemp_match_options o = seeded_options(&a, GEMP_REPLICATE_ALL);
	o.attributes = GEMP_CONDITIONS_AFTER;
	for (int times = 0; times < 3; times++)
		check_one(&a, &o, &random);
}

/* Of three given vertices of a cycle, the first and the third must differ, although no pattern edge joins them. */
static void three_of_a_cycle(void **state)
{
	(void)state;
	static const gemp_semantics semantics[] = { GEMP_ISO, GEMP_INDUCED };
	uint64_t random = test_seed_all();
	for (size_t i = 0; i < 2; i++) {
		gemp_match_options o = seeded_options(&(search_case){ .semantics = semantics[i] }, GEMP_REPLICATE_ALL);
		gemp_pattern *pattern = parse_question(&(question){ .shape = "cycle:4" }, graph.distributed);
		assert_non_null(pattern);
		pattern->arguments = 3;
		check_seeded(&graph, pattern, &o, &random);
		gemp_pattern_free(pattern);
	}
}

static void unconnected_patterns_are_rejected(void **state)
{
	(void)state;
	gemp_pattern *pattern = parse_question(&(question){ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d) RETURN a" },
	                                       graph.distributed);
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	pattern->arguments = 1;
	pattern->edges[1].from = 2; /* makes edge 1 a loop at c, so that no edge joins c and d to a and b */
	assert_all_code(gemp_match_prepare(&match, context, graph.distributed, pattern, &o), GEMP_EUSAGE);
	assert_message("hangs on no variable outside");
	assert_message("vertex c");
	assert_null(match);
	pattern->edges[1].from = 1;
	pattern->arguments = 0;
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all_code(gemp_match_run_seeded(match, NULL, 0, NULL, NULL), GEMP_EINTERNAL);
	gemp_match_free(match);
	match = NULL;
	pattern->edges[0].path = true;
	pattern->edges[0].min_hops = pattern->edges[0].max_hops = 2;
	assert_all_code(gemp_match_prepare(&match, context, graph.distributed, pattern, &o), GEMP_EUSAGE);
	assert_message("cannot be matched as one edge");
	assert_null(match);
	gemp_pattern_free(pattern);
}

static gemp_code run_once(void *argument)
{
	gemp_code code = GEMP_OK;
	gemp_match *match = NULL;
	gemp_match_options o = seeded_options(&table[2], 60);
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	gemp_vertex two[] = { 1, (gemp_vertex)test_comm.rank + 2, 5, (gemp_vertex)test_comm.rank + 7 };
	GEMP_TRY_DONE(gemp_match_prepare(&match, context, graph.distributed, argument, &o));
	GEMP_TRY_DONE(gemp_match_run_seeded(match, two, 2, &sink, NULL));
	GEMP_TRY_DONE(gemp_match_run_seeded(match, two, 1, &sink, NULL));
done:
	gemp_match_free(match);
	free(rows.rows);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2)
		return;
	gemp_pattern *pattern = parse_question(&(question){ .text = table[2].text }, graph.distributed);
	pattern->arguments = 2;
	context->budgets.outbox = 1;
	context->budgets.result_buffer = 2;
	assert_all_survive_no_memory(run_once, pattern);
	gemp_pattern_free(pattern);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_rows_resident, setup, teardown),
		cmocka_unit_test_setup_teardown(only_own_rows_resident, setup, teardown),
		cmocka_unit_test_setup_teardown(some_rows_replicated, setup, teardown),
		cmocka_unit_test_setup_teardown(kernels_for_gpus, setup, teardown),
		cmocka_unit_test_setup_teardown(first_row_of_each_seed, setup, teardown),
		cmocka_unit_test_setup_teardown(stopped_run_does_not_affect_next, setup, teardown),
		cmocka_unit_test_setup_teardown(conditions_after_each_run, setup, teardown),
		cmocka_unit_test_setup_teardown(three_of_a_cycle, setup, teardown),
		cmocka_unit_test_setup_teardown(unconnected_patterns_are_rejected, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
