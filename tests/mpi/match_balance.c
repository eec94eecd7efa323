/* Pivots handed out by cost: every pivot once, whoever takes it; the same answers as of one rank. */
#include "match_case.h"

#include "comm/counter.h"
#include "comm/shared.h"
#include "match/match_parts.h"
#include "match/pivot_part.h"
#include "match/search_deal.h"

enum { MOST = 5000 };

/* DEALS. Each rank takes pieces until there are none; all ranks add up how often each pivot was in one. */
static void take_all(gemp_deal *deal, size_t count, uint64_t *most_taken)
{
	uint64_t *times = calloc(count + 1, sizeof *times), taken = 0;
	gemp_part piece;
	assert_non_null(times);
	gemp_deal_open(deal);
	while (gemp_deal_take(deal, &piece)) {
		for (size_t i = 0; i < piece.count; i++)
			times[piece.first + i]++;
		taken += piece.count;
	}
	assert_all(!gemp_deal_left(deal) && deal->done == taken);
	gemp_deal_close(deal);
	gemp_comm_sum(&test_comm, times, (int)count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(times[i], 1);
	gemp_comm_max(&test_comm, &taken, 1);
	*most_taken = taken;
	free(times);
}

static void each_pivot_once(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 7, 100, MOST };
	static uint64_t cost[MOST];
	uint64_t seed = 31, most_taken;
	gemp_deal *deal = NULL;
	assert_all_ok(gemp_deal_new(&deal, &test_comm, 1));
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t least = 1; least <= 64; least *= 8) {
			for (size_t i = 0; i < counts[c]; i++)
				cost[i] = gemp_random(&seed) % 1000 * (i % 100 == 7 ? 10000 : 1);
			const gemp_deal_costs costs = { least == 8 ? NULL : cost, counts[c], least, least == 1 ? 0 : 20000, 4 };
			assert_all_ok(gemp_deal_cut(deal, &costs));
			take_all(deal, counts[c], &most_taken);
			take_all(deal, counts[c], &most_taken);
		}
	gemp_deal_free(deal);
}

/* Ranks that have no memory in common get shares of their own, by cost. */
static void each_node_its_share(void **state)
{
	(void)state;
	static uint64_t cost[MOST];
	gemp_comm comm = test_comm;
	uint64_t total = 0, mine = 0, dearest = 0;
	gemp_deal *deal = NULL;
	gemp_part piece;
	GEMP_MPI(MPI_Comm_split(test_comm.world, test_comm.rank, 0, &comm.node));
	comm.node_rank = 0;
	comm.node_size = 1;
	comm.counters = NULL;
	for (size_t i = 0; i < MOST; i++)
		total += cost[i] = 1 + 1000000 / (i + 1);
	assert_all_ok(gemp_deal_new(&deal, &comm, 1));
	assert_all(deal->node_count == (size_t)test_comm.size && deal->node == (size_t)test_comm.rank);
	assert_all_ok(gemp_deal_cut(deal, &(gemp_deal_costs){ cost, MOST, 1, 0, 4 }));
	gemp_deal_open(deal);
	while (gemp_deal_take(deal, &piece))
		for (size_t i = 0; i < piece.count; i++)
			mine += cost[piece.first + i];
	gemp_deal_close(deal);
	gemp_deal_free(deal);
	assert_int_equal(gemp_comm_sum1(&test_comm, mine), total);
	dearest = mine;
	gemp_comm_max(&test_comm, &dearest, 1);
	assert_true((double)dearest <= 1.1 * (double)total / test_comm.size);
	gemp_counter_free(&comm);
	GEMP_MPI(MPI_Comm_free(&comm.node));
}

/* A node without room for memory in common. */
static void counters_of_their_own(void **state)
{
	(void)state;
	enum { NUMBERS = 100 };
	gemp_comm comm;
	size_t most = gemp_shared_most;
	uint64_t taken = 0, sum = 0;
	gemp_shared_most = 0;
	gemp_comm_new(&comm, test_comm.world);
	for (int round = 0; round < 2; round++) {
		gemp_counter *counter = gemp_counter_open(&comm);
		for (uint64_t n; (n = gemp_counter_take(counter)) < NUMBERS; taken++)
			sum += n;
		assert_true(gemp_counter_taken(counter) >= NUMBERS);
		gemp_counter_close(&comm);
	}
	gemp_comm_free(&comm);
	gemp_shared_most = most;
	assert_int_equal(gemp_comm_sum1(&test_comm, taken), 2 * NUMBERS);
	assert_int_equal(gemp_comm_sum1(&test_comm, sum), NUMBERS * (NUMBERS - 1));
}

/* A deal that is opened while another is at work leaves that one as it is. */
static void one_within_another(void **state)
{
	(void)state;
	uint64_t taken = 0, most;
	gemp_deal *outer = NULL, *inner = NULL;
	gemp_part piece;
	assert_all_ok(gemp_deal_new(&outer, &test_comm, 1));
	assert_all_ok(gemp_deal_new(&inner, &test_comm, 1));
	assert_all_ok(gemp_deal_cut(outer, &(gemp_deal_costs){ NULL, 200, 1, 0, 4 }));
	assert_all_ok(gemp_deal_cut(inner, &(gemp_deal_costs){ NULL, 50, 1, 0, 2 }));
	gemp_deal_open(outer);
	for (int i = 0; i < 2 && gemp_deal_take(outer, &piece); i++)
		taken += piece.count;
	take_all(inner, 50, &most);
	while (gemp_deal_take(outer, &piece))
		taken += piece.count;
	gemp_deal_close(outer);
	assert_int_equal(gemp_comm_sum1(&test_comm, taken), 200);
	gemp_deal_free(inner);
	gemp_deal_free(outer);
}

/* SEARCHES. Hubs, fewer vertices than ranks, few candidates of the pivot; as loops, as those of a GPU, listing. */
static void same_answers(void)
{
	static const question cycle = { .shape = "cycle:4" };
	static const question labelled = { .text = "MATCH (a:Person)-[:KNOWS]->(b) RETURN a, b" };
	static const struct {
		size_t vertices, edges;
		const question *question;
		bool listed;
		const char *shape;
	} cases[] = {
		{ 40, 200, &cycle, false, NULL }, { 3, 3, &cycle, false, NULL }, { 40, 200, &cycle, false, "nested" },
		{ 40, 200, &labelled, true, NULL },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		case_graph graph;
		gemp_match_options o = plain_options;
		graph_new(&graph, cases[i].vertices, cases[i].edges, true, 5);
		o.listed = cases[i].listed;
		o.replicate = GEMP_REPLICATE_ALL;
		context->budgets.result_buffer = o.listed ? 3 : 0;
		if (cases[i].shape)
			setenv("GEMP_SHAPE", cases[i].shape, 1);
		assert_true(check_answer(&graph, cases[i].question, &o));
		unsetenv("GEMP_SHAPE");
		graph_free(&graph);
	}
	context->budgets.result_buffer = 0;
}

/* Runs again, and runs from parts of the pivots, hand out all pivots of theirs. */
static void again_and_in_parts(void)
{
	case_graph graph;
	graph_new(&graph, 60, 300, true, 9);
	const question q = { .shape = "cycle:4" };
	gemp_pattern *pattern = ask(&q, graph.dealt);
	gemp_match *match = NULL;
	gemp_match_result result, part;
	gemp_match_options o = plain_options;
	uint64_t matches = 0, pivots = 0;
	o.listed = false;
	o.replicate = GEMP_REPLICATE_ALL;
	o.in_parts = true;
	assert_all_ok(gemp_match_prepare(&match, context, graph.dealt, pattern, &o));
	assert_all((match->search->deal != NULL) == (test_comm.size > 1));
	assert_all_ok(gemp_match_run(match, NULL, &result));
	assert_all_ok(gemp_match_run(match, NULL, &part));
	assert_int_equal(result.matches, part.matches);
	assert_int_equal(result.pivots, part.pivots);
	for (uint32_t p = 0; p < 3; p++) {
		assert_all_ok(gemp_pivot_part_set(match, &(gemp_pivot_part){ p, 1, 3 }));
		assert_all_ok(gemp_match_run(match, NULL, &part));
		matches += part.matches;
		pivots += part.pivots;
	}
	assert_int_equal(matches, result.matches);
	assert_int_equal(pivots, result.pivots);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	graph_free(&graph);
}

/* Over the same kernels. */
static void searches(void **state)
{
	(void)state;
	same_answers();
	again_and_in_parts();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pivot_once),
		cmocka_unit_test(each_node_its_share),
		cmocka_unit_test(counters_of_their_own),
		cmocka_unit_test(one_within_another),
		cmocka_unit_test_setup_teardown(searches, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
