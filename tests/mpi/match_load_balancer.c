/* Tests pivots that are distributed by cost: each pivot must be taken once, by any rank, and searches must give the
 * results of the reference. */
#include "match_case.h"

#include "comm/comm.h"
#include "comm/shared.h"
#include "harness/limits.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match/search/load_balancer.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

enum { MAX_PIVOTS = 5000, FEW_LEAVES = 30, MANY_LEAVES = 1000 };

/* CHUNKS. Each rank takes chunks of pivots until none is left. An expensive pivot may be divided into slices. The ranks
 * add up how often each pivot and each slice was taken. */
typedef struct taken {
	uint64_t whole[MAX_PIVOTS], slices[MAX_PIVOTS], numbers[MAX_PIVOTS], of[MAX_PIVOTS];
	uint64_t pivots, cost;
} taken;

static void note_chunk(taken *t, const gemp_pivot_chunk *chunk, const uint64_t *cost)
{
	size_t first = chunk->range.first, count = chunk->range.count, pivot = chunk->pivot;
	if (chunk->slices == 1) {
		for (size_t i = first; i < first + count; i++) {
			t->whole[i]++;
			t->cost += cost ? cost[i] : 1;
		}
		t->pivots += count;
		return;
	}
	assert_true(count > 0 && first + count <= chunk->slices);
	for (size_t i = first; i < first + count; i++)
		t->numbers[pivot] += i;
	t->slices[pivot] += count;
	t->of[pivot] = chunk->slices;
	t->pivots += first == 0;
	t->cost += cost[pivot] * count / chunk->slices;
}

/* Takes chunks until none is left, sets *t to this rank's chunks, and returns the number of pivots that were divided
 * into slices. */
static size_t take_all_chunks(gemp_balancer *balancer, size_t count, const uint64_t *cost, taken *t)
{
	gemp_pivot_chunk chunk;
	size_t divided = 0;
	memset(t, 0, sizeof *t);
	gemp_balancer_open(balancer);
	while (gemp_balancer_take(balancer, &chunk))
		note_chunk(t, &chunk, cost);
	assert_all(!gemp_balancer_has_chunks(balancer) && balancer->done == t->pivots);
	gemp_balancer_close(balancer);
	assert_int_equal(gemp_comm_sum1(&test_comm, t->pivots), count);
	gemp_comm_sum(&test_comm, t->whole, MAX_PIVOTS);
	gemp_comm_sum(&test_comm, t->slices, MAX_PIVOTS);
	gemp_comm_sum(&test_comm, t->numbers, MAX_PIVOTS);
	gemp_comm_max(&test_comm, t->of, MAX_PIVOTS);
	for (size_t i = 0; i < MAX_PIVOTS; i++) {
		uint64_t of = t->of[i];
		assert_int_equal(t->whole[i] + (of > 0), i < count);
		assert_int_equal(t->slices[i], of);
		assert_int_equal(t->numbers[i], of ? of * (of - 1) / 2 : 0);
		divided += of > 0;
	}
	return divided;
}

static taken all;

static void each_pivot_is_taken_once(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 7, 100, MAX_PIVOTS };
	static uint64_t cost[MAX_PIVOTS];
	static uint32_t slices[MAX_PIVOTS];
	uint64_t seed = 31;
	gemp_balancer *balancer = NULL;
	assert_all_ok(gemp_balancer_new(&balancer, &test_comm, 1));
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t least = 1; least <= 64; least *= 8) {
			for (size_t i = 0; i < counts[c]; i++) {
				cost[i] = gemp_random(&seed) % 1000 * (i % 100 == 7 ? 10000 : 1);
				slices[i] = 1 + (uint32_t)gemp_random_below(&seed, 2000);
			}
			gemp_balancer_costs costs = { .cost = least == 8 ? NULL : cost,
				                          .count = counts[c],
				                          .min_pivots = least,
				                          .min_cost = least == 1 ? 0 : 20000,
				                          .share_divisor = 4,
				                          .workers = least };
			for (int sliced = 0; sliced < 2; sliced++) {
				costs.slices = sliced && costs.cost ? slices : NULL;
				assert_all_ok(gemp_balancer_cut(balancer, &costs));
				size_t divided = take_all_chunks(balancer, counts[c], cost, &all);
				assert_true(costs.slices ? divided > 0 || counts[c] != 100 : divided == 0);
				assert_int_equal(take_all_chunks(balancer, counts[c], cost, &all), divided);
			}
		}
	gemp_balancer_free(balancer);
}

/* Makes a communicator in which each rank is a node of its own, so that ranks share no memory. */
static gemp_comm one_node_per_rank(void)
{
	gemp_comm comm = test_comm;
	GEMP_MPI(MPI_Comm_split(test_comm.world, test_comm.rank, 0, &comm.node));
	comm.node_rank = 0;
	comm.node_size = 1;
	comm.counters = NULL;
	return comm;
}

static void nodes_free(gemp_comm *comm)
{
	gemp_counter_free(comm);
	GEMP_MPI(MPI_Comm_free(&comm->node));
}

/* Nodes without common memory get shares of nearly equal cost, even if one pivot causes nearly all of the cost. */
static void nodes_get_equal_cost(void **state)
{
	(void)state;
	static uint64_t cost[MAX_PIVOTS];
	static uint32_t slices[MAX_PIVOTS];
	gemp_comm comm = one_node_per_rank();
	gemp_balancer *balancer = NULL;
	assert_all_ok(gemp_balancer_new(&balancer, &comm, 1));
	assert_all(balancer->node_count == (size_t)test_comm.size && balancer->node == (size_t)test_comm.rank);
	for (int hub = 0; hub < 2; hub++) {
		uint64_t total = 0;
		for (size_t i = 0; i < MAX_PIVOTS; i++) {
			total += cost[i] = 1 + (hub && i == 3 ? 100000000 : 1000000 / (i + 1));
			slices[i] = 10000;
		}
		assert_all_ok(gemp_balancer_cut(balancer, &(gemp_balancer_costs){ .cost = cost,
		                                                                  .count = MAX_PIVOTS,
		                                                                  .min_pivots = 1,
		                                                                  .share_divisor = 4,
		                                                                  .slices = hub ? slices : NULL,
		                                                                  .workers = 2 }));
		take_all_chunks(balancer, MAX_PIVOTS, cost, &all);
		uint64_t max_cost = all.cost;
		gemp_comm_max(&test_comm, &max_cost, 1);
		assert_true((double)max_cost <= 1.1 * (double)total / test_comm.size);
	}
	gemp_balancer_free(balancer);
	nodes_free(&comm);
}

/* Counters work on a node that has no space for shared memory. */
static void counters_without_shared_memory(void **state)
{
	(void)state;
	enum { NUMBERS = 100 };
	gemp_comm comm;
	uint64_t taken = 0, sum = 0;
	TEST_LIMIT(shared_max, 0);
	gemp_comm_new(&comm, test_comm.world);
	for (int round = 0; round < 2; round++) {
		gemp_counter *counter = gemp_counter_open(&comm);
		for (uint64_t n; (n = gemp_counter_next(counter)) < NUMBERS; taken++)
			sum += n;
		assert_true(gemp_counter_value(counter) >= NUMBERS);
		gemp_counter_close(&comm);
	}
	gemp_comm_free(&comm);
	TEST_LIMIT_DEFAULT(shared_max);
	assert_int_equal(gemp_comm_sum1(&test_comm, taken), 2 * NUMBERS);
	assert_int_equal(gemp_comm_sum1(&test_comm, sum), NUMBERS * (NUMBERS - 1));
}

/* Two balancers can be in use at the same time without disturbing each other. */
static void nested_balancers(void **state)
{
	(void)state;
	uint64_t pivots = 0;
	gemp_balancer *outer = NULL, *inner = NULL;
	gemp_pivot_chunk chunk;
	assert_all_ok(gemp_balancer_new(&outer, &test_comm, 1));
	assert_all_ok(gemp_balancer_new(&inner, &test_comm, 1));
	assert_all_ok(
		gemp_balancer_cut(outer, &(gemp_balancer_costs){ .count = 200, .min_pivots = 1, .share_divisor = 4 }));
	assert_all_ok(gemp_balancer_cut(inner, &(gemp_balancer_costs){ .count = 50, .min_pivots = 1, .share_divisor = 2 }));
	gemp_balancer_open(outer);
	for (int i = 0; i < 2 && gemp_balancer_take(outer, &chunk); i++)
		pivots += chunk.range.count;
	take_all_chunks(inner, 50, NULL, &all);
	while (gemp_balancer_take(outer, &chunk))
		pivots += chunk.range.count;
	gemp_balancer_close(outer);
	assert_int_equal(gemp_comm_sum1(&test_comm, pivots), 200);
	gemp_balancer_free(inner);
	gemp_balancer_free(outer);
}

/* SEARCHES on a usual graph, with fewer vertices than ranks, in the form of kernels for a GPU, and with few candidates
 * of the pivot and listed rows. */
static void same_results(void)
{
	static const question cycle = { .shape = "cycle:4" };
	static const question labelled = { .text = "MATCH (a:Person)-[:KNOWS]->(b) RETURN a, b" };
	static const struct {
		size_t vertices, edges;
		const question *question;
		bool listed;
		const char *shape;
		bool rows_of_device; /* only the devices have the rows */
	} cases[] = {
		{ 40, 200, &cycle, false, NULL, false },     { 3, 3, &cycle, false, NULL, false },
		{ 40, 200, &cycle, false, "nested", false }, { 40, 200, &labelled, true, NULL, false },
		{ 40, 200, &cycle, false, NULL, true },      { 40, 200, &labelled, true, NULL, true },
		{ 3, 3, &cycle, false, NULL, true },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		case_graph graph;
		gemp_match_options o = plain_options;
		graph_new(&graph, cases[i].vertices, cases[i].edges, true, 5);
		o.listed = cases[i].listed;
		o.replicate = GEMP_REPLICATE_ALL;
		context->budgets.result_buffer = o.listed ? 3 : 0;
		TEST_LIMIT(renumber_min, cases[i].rows_of_device ? 1 : 0);
		if (cases[i].shape)
			setenv("GEMP_SHAPE", cases[i].shape, 1);
		assert_true(check_answer(&graph, cases[i].question, &o));
		unsetenv("GEMP_SHAPE");
		graph_free(&graph);
	}
	TEST_LIMIT_DEFAULT(renumber_min);
	context->budgets.result_buffer = 0;
}

/* Returns the digest of the chunks of a search that is not run. *on_host: the hosts have all rows. */
static uint64_t digest_of(const case_graph *graph, const gemp_pattern *pattern, bool rows_of_device, bool *on_host)
{
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	o.replicate = GEMP_REPLICATE_ALL;
	o.explained = true;
	TEST_LIMIT(renumber_min, rows_of_device ? 1 : UINT64_MAX);
	assert_all_ok(gemp_match_prepare(&match, context, graph->distributed, pattern, &o));
	TEST_LIMIT_DEFAULT(renumber_min);
	*on_host = true;
	for (size_t v = 0; v < match->rows->view_count; v++)
		*on_host &= match->rows->views[v].neighbours != NULL;
	const uint64_t digest = match->search->balancer ? match->search->balancer->digest : 0;
	gemp_match_free(match);
	return digest;
}

/* A graph without parallel edges, which devices make rows of: vertex v may be joined to v / 2, v / 4 and v / 16. */
static void halves_new(case_graph *g, size_t vertices, uint64_t seed)
{
	fixture made = fixture_new(vertices, 3 * vertices, KEYS_INTEGER, seed);
	gemp_builder_options options = { .seed = seed, .undirected = true };
	size_t count = 0;
	for (size_t v = 1; v < vertices; v++)
		for (size_t part = 2; part <= 16; part *= part)
			if (v / part > 0 && gemp_random_below(&seed, 5)) {
				made.edges[count].source = v;
				made.edges[count].target = v / part;
				made.edges[count++].type = "KNOWS";
			}
	made.edge_count = count;
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, seed));
	fixture_free(&made);
}

/* In the larger graph, most pivots have no costs of their own. */
static void devices_find_the_same_costs(void **state)
{
	(void)state;
	static const char *const shapes[] = { "triangle", "path:3", "star:3" };
	uint64_t random = test_seed_all();
	for (int round = 0; round < 2; round++) {
		case_graph graph;
		halves_new(&graph, round ? 20000 : 3 + gemp_random_below(&random, 100), random);
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
			bool first, second;
			gemp_pattern *pattern = parse_question(&(question){ .shape = shapes[i] }, graph.distributed);
			const uint64_t host = digest_of(&graph, pattern, false, &first);
			const uint64_t device = digest_of(&graph, pattern, true, &second);
			assert_all(first && !second && host == device && (host != 0) == (test_comm.size > 1));
			gemp_pattern_free(pattern);
		}
		graph_free(&graph);
	}
}

/* A second run must give the result of the first run, and runs over three parts of the pivots must add up to this
 * result. */
static void second_runs_and_parts(void)
{
	case_graph graph;
	graph_new(&graph, 60, 300, true, 9);
	const question q = { .shape = "cycle:4" };
	gemp_pattern *pattern = parse_question(&q, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result result, part;
	gemp_match_options o = plain_options;
	uint64_t matches = 0, pivots = 0;
	o.listed = false;
	o.replicate = GEMP_REPLICATE_ALL;
	o.in_parts = true;
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all((match->search->balancer != NULL) == (test_comm.size > 1));
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

/* HUBS. A vertex that is joined to all other vertices, so that nearly all cycles contain it. */
static void hub_new(case_graph *g, uint32_t leaves, uint64_t seed)
{
	fixture made = fixture_new((size_t)leaves + 1, 2 * (size_t)leaves, KEYS_INTEGER, seed);
	gemp_builder_options options = { .seed = seed, .undirected = true };
	for (size_t e = 0; e < made.edge_count; e++) {
		made.edges[e].source = e < leaves ? 0 : 1 + gemp_random_below(&seed, leaves);
		made.edges[e].target = e < leaves ? e + 1 : 1 + gemp_random_below(&seed, leaves);
	}
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, seed));
	fixture_free(&made);
}

/* Chunks are assigned to nodes beforehand by cost. No rank may find more than 1.3 times the mean number of matches. */
static void hub_is_divided(void **state)
{
	(void)state;
	gemp_comm comm = one_node_per_rank(), *all_together = context->comm;
	case_graph graph;
	gemp_match *match = NULL;
	gemp_match_result result;
	gemp_match_options o = plain_options;
	hub_new(&graph, MANY_LEAVES, 20261122);
	gemp_pattern *pattern = parse_question(&(question){ .shape = "cycle:4" }, graph.distributed);
	o.listed = false;
	o.replicate = GEMP_REPLICATE_ALL;
	context->comm = &comm;
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, &o));
	assert_all_ok(gemp_match_run(match, NULL, &result));
	const gemp_search *search = match->search;
	uint64_t most = search->statistics.found_local;
	gemp_comm_max(&test_comm, &most, 1);
	assert_true((double)most * test_comm.size <= 1.3 * (double)result.matches);
	assert_all(test_comm.size == 1 || search->balancer->done <= MANY_LEAVES + 1);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	graph_free(&graph);
	context->comm = all_together;
	nodes_free(&comm);
}

/* Rows are listed with a buffer so small that workers stop within slices; then matches are only counted. */
static void hub_results(void **state)
{
	(void)state;
	case_graph graph;
	gemp_match_options o = plain_options;
	hub_new(&graph, FEW_LEAVES, 7);
	o.replicate = GEMP_REPLICATE_ALL;
	context->budgets.result_buffer = 5;
	assert_true(check_answer(&graph, &(question){ .shape = "cycle:4" }, &o));
	context->budgets.result_buffer = 0;
	o.listed = false;
	assert_true(check_answer(&graph, &(question){ .shape = "cycle:4" }, &o));
	graph_free(&graph);
}

/* One test, because both parts use the same kernels. */
static void searches(void **state)
{
	(void)state;
	same_results();
	second_runs_and_parts();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pivot_is_taken_once),
		cmocka_unit_test(nodes_get_equal_cost),
		cmocka_unit_test(counters_without_shared_memory),
		cmocka_unit_test(nested_balancers),
		cmocka_unit_test_setup_teardown(searches, open_context, close_context),
		cmocka_unit_test_setup_teardown(devices_find_the_same_costs, open_context, close_context),
		cmocka_unit_test_setup_teardown(hub_is_divided, open_context, close_context),
		cmocka_unit_test_setup_teardown(hub_results, open_context, close_context),
	};
	return test_main_all(argc, argv, tests);
}
