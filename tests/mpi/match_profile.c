/* Tests the counts of --profile: the partial matches that pass each step, the entries that are read, and the bytes that
 * are sent to the step. */
#include "match_case.h"

#include "graph/batch.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

enum { VERTICES = 16, EDGES = 40, GRAPH_SEED = 7, STEPS = 3 };

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

/* Counts the walks of 0, 1 and 2 edges. As many partial matches must pass steps 0, 1 and 2 of a plan that starts at
 * vertex a. */
static void count_walks(uint64_t walks[STEPS])
{
	static const char *const texts[] = { "MATCH (a) RETURN a", "MATCH (a)-[:KNOWS]->(b) RETURN a",
		                                 "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN a" };
	for (int s = 0; s < STEPS; s++) {
		gemp_pattern *pattern = parse_question(&(question){ .text = texts[s] }, graph.whole);
		reference r;
		reference_new(&r, graph.whole, pattern, GEMP_HOM);
		walks[s] = r.count;
		reference_free(&r);
		gemp_pattern_free(pattern);
	}
}

static void check(int64_t replicate, bool listed, uint64_t buffers, const uint64_t walks[STEPS])
{
	gemp_pattern *pattern = parse_question(&(question){ .text = "MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN a" },
	                                       graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	gemp_match_options o = plain_options;
	uint64_t sent = 0;
	o.semantics = GEMP_HOM;
	o.distinct = GEMP_BY_NOTHING;
	o.profile = o.pivot_off = true;
	o.replicate = replicate;
	o.exchange = GEMP_EXCHANGE_PUSH;
	o.listed = listed;
	context->budgets.result_buffer = context->budgets.outbox = buffers;
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	char *before = gemp_match_explain(match);
	assert_all_ok(gemp_match_run(match, listed ? &sink : NULL, &result));
	char *after = gemp_match_explain(match);
	assert_null(strstr(before, "actual rows"));
	assert_non_null(strstr(after, "actual rows   entries read   bytes sent"));
	assert_int_equal(match->plan->step_count, STEPS);
	for (int s = 0; s < STEPS; s++) {
		assert_int_equal(match->step_rows[s], walks[s]);
		assert_int_equal(match->step_entries[s], s ? walks[s] : 0); /* no test drops an entry */
		assert_int_equal(match->step_lookups[s], 0);
		sent += match->step_bytes[s];
	}
	assert_true((sent > 0) == (test_comm.size > 1 && replicate == 0) && match->step_bytes[0] == 0);
	assert_true(result.match_imbalance >= 1 && result.match_imbalance <= test_comm.size);
	assert_true(result.kernel_imbalance >= 1 && result.kernel_imbalance <= test_comm.size + 1e-9);
	gemp_free(before);
	gemp_free(after);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	free(rows.rows);
}

static void counts_at_steps(void **state)
{
	(void)state;
	uint64_t walks[STEPS];
	count_walks(walks);
	check(GEMP_REPLICATE_ALL, false, 0, walks);
	check(GEMP_REPLICATE_ALL, true, 1, walks);
	if (test_comm.size > 1) {
		check(0, false, 1, walks);
		check(0, true, 2, walks);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_at_steps, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
