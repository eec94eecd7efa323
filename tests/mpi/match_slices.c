/* Tests slices of pivots on a single device against the reference: in loops and in the state machine of a GPU, with
 * counted and listed matches, and with result buffers so small that workers stop within slices. */
#include "match_case.h"

#include "core/random.h"

static const question questions[] = {
	{ .text = "MATCH (a:Person)-[:KNOWS]->(b)<-[]-(c) RETURN a, b, c" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c)-[]-(d) RETURN a, d" },
	{ .text = "MATCH (a)-[]-(b)-[]-(c), (b)-[]-(d) RETURN b" },
	{ .shape = "cycle:4" },
	{ .shape = "diamond" },
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

/* False if the graph has no such label or type. */
static bool check(uint64_t *random, const question *q, bool states, bool listed)
{
	case_graph graph;
	gemp_match_options o = plain_options;
	graph_new(&graph, 1 + gemp_random_below(random, 12), 5 + gemp_random_below(random, 50), true, gemp_random(random));
	o.listed = listed;
	o.semantics = gemp_random_below(random, 2) ? GEMP_HOM : GEMP_ISO;
	o.profile = gemp_random_below(random, 2);
	context->budgets.result_buffer = listed ? 1 + gemp_random_below(random, 20) : 0;
	TEST_LIMIT(match_slices, gemp_random_below(random, 8)); /* 0: the search chooses */
	if (states)
		setenv("GEMP_SHAPE", "states", 1);
	const bool answered = check_answer(&graph, q, &o);
	unsetenv("GEMP_SHAPE");
	TEST_LIMIT_DEFAULT(match_slices);
	context->budgets.result_buffer = 0;
	graph_free(&graph);
	return answered;
}

static void answers_do_not_depend_on_slices(void **state)
{
	(void)state;
	uint64_t random = test_seed_all();
	int answered = 0;
	for (int i = 0; i < 3 * QUESTIONS; i++)
		answered += check(&random, &questions[i % QUESTIONS], i % 2, i % 3 > 0);
	assert_true(answered > QUESTIONS);
}

/* A pivot for fewer workers than the device has. */
static void few_pivots_occupy_all_workers(void **state)
{
	(void)state;
	static const question q = { .text = "MATCH (a {id: 1})-[]-(b)-[]-(c)-[]-(d) RETURN a, d" };
	case_graph graph;
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	o.order_count = 4;
	for (int v = 0; v < 4; v++)
		o.order[v] = v;
	graph_new(&graph, 12, 60, true, 1);
	gemp_pattern *pattern = parse_question(&q, graph.distributed);
	if (pattern) {
		assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
		gemp_search *s = match->search;
		if (test_comm.size == 1 && s->range.count == 1 && s->workers > 1)
			assert_true(s->emit.sliced && gemp_search_slices(s) >= s->workers);
		gemp_match_free(match);
		gemp_pattern_free(pattern);
	}
	graph_free(&graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_do_not_depend_on_slices, open_context, close_context),
		cmocka_unit_test_setup_teardown(few_pivots_occupy_all_workers, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
