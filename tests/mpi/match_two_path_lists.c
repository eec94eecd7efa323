/* Tests the lists of two-paths that a listing worker of a CPU device reads in place of rows
 * (match/codegen/two_path_lists.h), against the reference: with workers that stop within lists, with pivots that have
 * more two-paths than lists hold, and after a search that ended while workers held lists. */
#include "loops_case.h"
#include "match/search/search.h"

static case_graph dense, large, directed;

enum { ALL = 1 << 20 };

static gemp_match_options options_of(gemp_semantics semantics, bool hash)
{
	gemp_match_options o = loops_options(semantics, true);
	o.symmetry_by_hash = hash && o.distinct == GEMP_BY_ORBIT;
	return o;
}

/* Entries that all ranks read in the last step. */
static uint64_t entries_of(const char *shape, uint64_t capacity, bool *lists)
{
	const question q = { .shape = shape };
	gemp_match_options o = options_of(GEMP_ISO, true);
	gemp_pattern *pattern = parse_question(&q, dense.distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	uint64_t rows[GEMP_MAX_STEPS] = { 0 }, entries[GEMP_MAX_STEPS] = { 0 }, lookups[GEMP_MAX_STEPS] = { 0 };
	o.profile = true;
	TEST_LIMIT(two_path_lists, capacity);
	assert_all_ok(gemp_match_prepare(&match, context, dense.distributed, pattern, &o));
	assert_all_ok(gemp_match_run(match, NULL, &result));
	*lists = match->search->emit.lists;
	assert_all_ok(gemp_search_profile(match->search, rows, entries, lookups));
	const size_t last = match->plan->step_count - 1;
	assert_all(gemp_comm_sum1(&test_comm, rows[last]) == result.embeddings);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	TEST_LIMIT_DEFAULT(two_path_lists);
	return gemp_comm_sum1(&test_comm, entries[last]);
}

/* Without lists the last step of a cycle reads whole rows. Lists of 20 two-paths serve only small pivots. */
static void lists_save_entries(void **state)
{
	static const char *const shapes[] = { "cycle:4", "cycle:5" };
	(void)state;
	if (context->device->gpu)
		skip();
	for (int i = 0; i < 2; i++) {
		bool with, without, some;
		const uint64_t all = entries_of(shapes[i], ALL, &with), none = entries_of(shapes[i], 0, &without);
		const uint64_t few = entries_of(shapes[i], 20, &some);
		assert_all(with && some && !without);
		assert_all(all < none && few > all && few <= none);
	}
}

static void check(const case_graph *graph, const question *q, gemp_semantics semantics)
{
	static const uint64_t buffers[] = { 1, 50, 0, 1000 }, capacities[] = { ALL, 30, ALL, 5 };
	for (int i = 0; i < 4; i++) {
		gemp_match_options o = options_of(semantics, i % 2 == 0);
		context->budgets.result_buffer = buffers[i];
		TEST_LIMIT(two_path_lists, capacities[i]);
		assert_true(check_answer(graph, q, &o));
	}
	context->budgets.result_buffer = 0;
	TEST_LIMIT_DEFAULT(two_path_lists);
}

static void stopped_and_resumed(void **state)
{
	(void)state;
	check(&dense, &(question){ .shape = "cycle:4" }, GEMP_ISO);
	check(&dense, &(question){ .shape = "cycle:5" }, GEMP_ISO);
	check(&dense, &(question){ .shape = "edges:0-1,1-2,2-3,0-2,3-4,4-0" }, GEMP_INDUCED);
	check(&dense, &(question){ .shape = "cycle:4" }, GEMP_HOM);
}

static void directions_and_labels(void **state)
{
	(void)state;
	const question q = { .text = "MATCH (a)-[:KNOWS]->(b)-[]->(c)<-[]-(d:Person)-[:KNOWS]->(a) RETURN a, b, c, d" };
	const question compared = {
		.text = "MATCH (a)-[]->(b)-[]->(c)-[]->(d)-[]->(a) WHERE id(a) < id(d) RETURN a, b, c, d"
	};
	check(&directed, &q, GEMP_HOM);
	check(&directed, &compared, GEMP_ISO);
}

/* All rows of cycle:4 in the large graph, sorted. A first run that ends early, after a round of launches with one row
 * each, precedes if `stop` is set. */
static collecting rows_of(bool stop)
{
	const question q = { .shape = "cycle:4" };
	const gemp_match_options o = options_of(GEMP_ISO, false);
	gemp_pattern *pattern = parse_question(&q, large.distributed);
	gemp_match *match = NULL;
	gemp_match_result few, all;
	collecting first = { .wanted = 1 }, second = { .wanted = SIZE_MAX };
	gemp_sink some = collecting_sink(&first), whole = collecting_sink(&second);
	assert_all_ok(gemp_match_prepare(&match, context, large.distributed, pattern, &o));
	if (stop) {
		assert_all_ok(gemp_match_run(match, &some, &few));
		assert_all(!few.complete);
		free(first.rows);
	}
	assert_all_ok(gemp_match_run(match, &whole, &all));
	collecting_gather(&second);
	assert_all(all.complete && second.count == all.matches);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return second;
}

/* The second run must not read the lists that workers held when the first one ended. */
static void ended_early(void **state)
{
	(void)state;
	TEST_LIMIT(two_path_lists, 0);
	collecting expected = rows_of(false);
	TEST_LIMIT(two_path_lists, ALL);
	context->budgets.result_buffer = 1;
	collecting rows = rows_of(true);
	context->budgets.result_buffer = 0;
	TEST_LIMIT_DEFAULT(two_path_lists);
	assert_true(rows.count > 1000 && rows.count == expected.count);
	reference_points = (size_t)rows.vertex_count;
	for (size_t i = 0; i < rows.count; i++)
		assert_int_equal(reference_compare(&rows.rows[i], &expected.rows[i]), 0);
	free(rows.rows);
	free(expected.rows);
}

static int open_graphs(void **state)
{
	int failed = open_context(state);
	if (failed)
		return failed;
	graph_new(&dense, 14, 60, true, 20261129);
	graph_new(&large, 60, 500, true, 20261201);
	graph_new(&directed, 11, 70, false, 20261130);
	return 0;
}

static int close_graphs(void **state)
{
	graph_free(&dense);
	graph_free(&large);
	graph_free(&directed);
	return close_context(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lists_save_entries, open_graphs, close_graphs),
		cmocka_unit_test_setup_teardown(stopped_and_resumed, open_graphs, close_graphs),
		cmocka_unit_test_setup_teardown(directions_and_labels, open_graphs, close_graphs),
		cmocka_unit_test_setup_teardown(ended_early, open_graphs, close_graphs),
	};
	TEST_LIMIT(prefetch_min, 0);
	TEST_LIMIT(shared_min, 0);
	return test_main_all(argc, argv, tests);
}
