/* Tests the match engine with little memory and odd sizes: outboxes and result buffers of one entry, tiny and huge
 * launches, sinks that stop the search or fail. */
#include "match_case.h"

#include "comm/comm.h"
#include "comm/shared.h"
#include "core/status.h"
#include "device/compilation.h"
#include "device/device.h"
#include "graph/batch.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"
#include "pattern/bind/bind.h"
#include "pattern/model/pattern.h"
#include "pattern/semantic/parse.h"

/* The graph is always the same, so that kernels come from the cache. It is dense enough to have cliques. */
enum { VERTICES = 14, EDGES = 70, GRAPH_SEED = 11 };

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

/* Credits are kept for each pair of stage and source. With one pool of credits for all stages, these searches would
 * deadlock. */
static void small_outboxes_do_not_deadlock(void **state)
{
	(void)state;
	static const char *const shapes[] = { "clique:4", "cycle:4", "path:4" };
	for (size_t i = 0; i < 3; i++)
		for (uint64_t outbox = 1; outbox <= 2; outbox++) {
			gemp_match_options o = plain_options;
			o.replicate = outbox == 1 ? 0 : 120;
			o.exchange = GEMP_EXCHANGE_PUSH;
			o.listed = outbox == 1;
			context->budgets.outbox = outbox;
			context->budgets.result_buffer = outbox == 1 ? 1 : 7;
			if (test_comm.size < 8 || i == 0) /* rounds of eight ranks are slow on few cores */
				assert_true(check_answer(&graph, &(question){ .shape = shapes[i] }, &o));
		}
}

/* Bounds of the number of launches of the last run if each launch is as small as possible. A rank's first launch may
 * have 16 waves, since it is a guess, and every later launch has one wave. No launch goes beyond a chunk of pivots. */
static uint64_t min_launches, max_launches;

static void bound_launches(const gemp_match *match)
{
	const gemp_balancer *balancer = match->search->balancer;
	uint64_t wave = context->device->units, longest = 0, saved;
	gemp_task_range own = { .count = match->search->pivots };
	max_launches = 0;
	for (size_t i = 0; i < (balancer ? balancer->count : 1); i++) {
		uint64_t waves = ((balancer ? balancer->chunks[i].range : own).count + wave - 1) / wave;
		max_launches += waves;
		longest = waves > longest ? waves : longest;
	}
	saved = longest == 0 ? 0 : longest < 16 ? longest - 1 : 15;
	min_launches = max_launches - saved * (uint64_t)test_comm.size;
	max_launches -= balancer ? 0 : saved;
}

static gemp_match_result run(const question *q, const gemp_match_options *o, collecting *rows, gemp_code expected)
{
	gemp_pattern *pattern = parse_question(q, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result result = { 0 };
	gemp_sink sink = collecting_sink(rows);
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, o));
	assert_all_code(gemp_match_run(match, o->listed ? &sink : NULL, &result), expected);
	bound_launches(match);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return result;
}

static void launches_of_any_size(void **state)
{
	(void)state;
	static const double factors[] = { 1e-12, 0.3, 1, 1e12 };
	static const uint64_t buffers[] = { 1, 3, 100000 };
	question q = { .shape = "triangle" };
	/* A device with more units starts more pivots in one launch, so the graph grows with the number of units. */
	const uint64_t vertices = 100 * gemp_min(context->device->units, 32);
	graph_free(&graph);
	graph_new(&graph, vertices, vertices * 5 / 2, false, GRAPH_SEED);
	gemp_match_options o = plain_options;
	o.replicate = GEMP_REPLICATE_ALL;
	o.listed = false;
	uint64_t all = run(&q, &o, NULL, GEMP_OK).matches;
	o.listed = true;
	for (size_t f = 0; f < 4; f++)
		for (size_t b = 0; b < 3; b++) {
			collecting rows = { .wanted = SIZE_MAX };
			o.launch_factor = factors[f];
			context->budgets.result_buffer = buffers[b];
			gemp_match_result result = run(&q, &o, &rows, GEMP_OK);
			assert_true(result.matches == all && all > 0 && gemp_comm_sum1(&test_comm, rows.count) == all);
			assert_true(result.result_fill_percent <= 100 && result.stages_launched == 0);
			assert_int_equal(result.pivots, vertices);
			if (buffers[b] == 1) /* every match fills the result buffer and ends a launch */
				assert_true(result.launches >= all);
			if (f == 0 && b == 2 && !context->device->gpu) {
				assert_in_range(result.launches, min_launches, max_launches);
				assert_true(min_launches > 2 * (uint64_t)test_comm.size);
			}
			if (f == 3 && b == 2)
				assert_true(result.launches <= max_launches);
			free(rows.rows);
		}
}

/* LIMIT: the search ends when its sink has enough rows, and the result says that it is incomplete. */
static void enough_ends_the_search(void **state)
{
	(void)state;
	question q = { .shape = "path:5" };
	gemp_match_options o = plain_options;
	graph_free(&graph);
	graph_new(&graph, 60, 500, false, GRAPH_SEED); /* has more paths than one round finds, since the buffer holds two */
	o.listed = false;
	uint64_t all = run(&q, &o, NULL, GEMP_OK).matches;
	o.listed = true;
	for (int hash = 0; hash < 2; hash++) {
		o.symmetry_by_hash = hash;
		o.limit = 3;
		context->budgets.result_buffer = 2;
		collecting rows = { .wanted = 3 };
		gemp_match_result result = run(&q, &o, &rows, GEMP_OK);
		assert_false(result.complete);
		assert_false(result.embeddings_known);
		assert_non_null(strstr(result.embeddings_reason, "limit"));
		uint64_t found = gemp_comm_sum1(&test_comm, rows.count);
		assert_true(found >= 3 && found < all / 2);
		free(rows.rows);
	}
}

/* The sink of the rank that gets rows first fails, and the run fails on all ranks. */
static void fail_once(const gemp_match_options *o)
{
	question q = { .shape = "triangle" };
	gemp_pattern *pattern = parse_question(&q, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	collecting rows = { .wanted = SIZE_MAX, .failing = gemp_counter_open(&test_comm) };
	gemp_sink sink = collecting_sink(&rows);
	assert_all_ok(gemp_match_prepare(&match, context, graph.distributed, pattern, o));
	assert_all(gemp_match_run(match, &sink, &result) == GEMP_EIO);
	assert_message("a sink that fails");
	gemp_match_free(match);
	gemp_counter_close(&test_comm);
	gemp_pattern_free(pattern);
	free(rows.rows);
}

static void failing_sinks(void **state)
{
	(void)state;
	static const int64_t replicate[] = { 0, GEMP_REPLICATE_ALL };
	for (int i = 0; i < 2; i++) {
		gemp_match_options o = plain_options;
		o.replicate = replicate[i];
		context->budgets.result_buffer = 4;
		fail_once(&o);
	}
}

/* Checks the reported shares: matches whose vertices lie in one of P partitions, and matches that were found without
 * leaving their rank. */
static void reported_shares(void **state)
{
	(void)state;
	question q = { .shape = "triangle" };
	gemp_match_options o = plain_options;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_pattern *pattern = parse_question(&q, graph.whole);
	reference r;
	reference_new(&r, graph.whole, pattern, GEMP_ISO);
	o.count_parts = true;
	o.listed = false;
	o.replicate = 0;
	o.exchange = GEMP_EXCHANGE_PUSH;
	context->budgets.result_buffer = 0;
	gemp_match_result result = run(&q, &o, &rows, GEMP_OK);
	for (unsigned p = 0; p < GEMP_PART_STEPS; p++) {
		uint64_t within = 0;
		for (size_t i = 0; i < r.count; i++) {
			uint64_t part[3];
			for (int v = 0; v < 3; v++)
				for (part[v] = 0; (part[v] + 1) * VERTICES / (1u << p) <= r.list[i].at[v];)
					part[v]++;
			within += part[0] == part[1] && part[1] == part[2];
		}
		assert_true(result.part_share[p] > (double)within / (double)r.count - 1e-9 &&
		            result.part_share[p] < (double)within / (double)r.count + 1e-9);
	}
	assert_true(result.part_share[0] == 1 && result.part_share[6] < 1);
	assert_true(test_comm.size == 1 ? result.traffic.bytes == 0 : result.traffic.bytes > 0);
	/* a partial path moves on to other ranks; a partial triangle also moves to have its closing edge tested */
	o.count_parts = false;
	for (int i = 0; i < 2; i++) {
		result = run(i ? &(question){ .shape = "path:4" } : &q, &o, &rows, GEMP_OK);
		assert_true(test_comm.size == 1 ? result.local_share == 1 : result.local_share < 1);
	}
	reference_free(&r);
	gemp_pattern_free(pattern);
}

static void invalid_lanes_are_rejected(void **state)
{
	(void)state;
	gemp_pattern *pattern = parse_question(&(question){ .shape = "triangle" }, graph.distributed);
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	o.lanes = 3;
	assert_all_code(gemp_match_prepare(&match, context, graph.distributed, pattern, &o), GEMP_EUSAGE);
	assert_message("lanes 3");
	assert_null(match);
	gemp_pattern_free(pattern);
}

/* MEMORY MAY RUN OUT. */
static gemp_code match_once(const char *text, const gemp_match_options *o)
{
	gemp_code code = GEMP_OK;
	gemp_pattern *pattern = NULL;
	gemp_match *match = NULL;
	gemp_match_result result;
	char *plan = NULL;
	collecting rows = { .wanted = SIZE_MAX };
	gemp_sink sink = collecting_sink(&rows);
	code = gemp_pattern_parse(&pattern, text, NULL);
	if (code == GEMP_OK)
		code = gemp_pattern_bind(pattern, graph.distributed);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	GEMP_TRY_DONE(gemp_match_prepare(&match, context, graph.distributed, pattern, o));
	plan = gemp_match_explain(match);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, plan ? GEMP_OK : GEMP_ENOMEM));
	GEMP_TRY_DONE(gemp_match_run(match, o->listed ? &sink : NULL, &result));
done:
	gemp_free(plan);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	free(rows.rows);
	return code;
}

static gemp_code push_and_distinct(void *argument)
{
	(void)argument;
	gemp_match_options o = plain_options;
	o.replicate = 60;
	o.exchange = GEMP_EXCHANGE_PUSH;
	o.symmetry_by_hash = true;
	o.attributes = GEMP_CONDITIONS_AFTER;
	return match_once("MATCH (a:Actor)-[:KNOWS]-(b)-[:KNOWS]-(c:Actor) WHERE b.number > 0 RETURN b", &o);
}

static gemp_code smallest_of_a_class(void *argument)
{
	(void)argument;
	gemp_match_options o = plain_options;
	o.distinct = GEMP_BY_VERTICES;
	return match_once("MATCH (a)-[:KNOWS]->(b) RETURN a, b", &o);
}

/* Threads of the host search before the device does. A compilation that a failure has left behind has blocks, too. */
static gemp_code early_and_late(void *argument)
{
	(void)argument;
	gemp_match_options o = plain_options;
	o.replicate = GEMP_REPLICATE_ALL;
	TEST_LIMIT(early_pivots, 3);
	gemp_code code = match_once("MATCH (a)-[:KNOWS]->(b)-[:KNOWS]->(c) RETURN a, b, c", &o);
	TEST_LIMIT(early_pivots, 0);
	gemp_compilations_await(context->device);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	context->budgets.outbox = 1;
	context->budgets.result_buffer = 2;
	assert_all_survive_no_memory(push_and_distinct, NULL);
	assert_all_survive_no_memory(smallest_of_a_class, NULL);
	assert_all_survive_no_memory(early_and_late, NULL);
}

/* The memory of one rank's device is too small at first and grows from run to run. Until it suffices, all ranks must
 * return the same error. */
static void device_memory_may_run_out(void **state)
{
	(void)state;
	gemp_device *device = context->device;
	size_t memory = device->memory, held = device->buffer_bytes;
	gemp_match_options o = plain_options;
	uint64_t code = GEMP_ENOMEM, turns = 0;
	o.replicate = 60;
	o.exchange = GEMP_EXCHANGE_PUSH;
	context->budgets.outbox = 4;
	context->budgets.result_buffer = 16;
	for (size_t room = 0; code != GEMP_OK; room += 40 + room / 4, turns++) {
		if (test_comm.rank == test_comm.size - 1)
			device->memory = held + room;
		code = (uint64_t)match_once("MATCH (a:Actor)-[:KNOWS]-(b)-[:KNOWS]-(c) RETURN b", &o);
		uint64_t same[2] = { code, UINT64_MAX - code };
		gemp_comm_max(&test_comm, same, 2);
		assert_all(same[0] == code && same[1] == UINT64_MAX - code);
		assert_all(code == GEMP_OK || code == GEMP_ENOMEM);
		assert_all(device->buffer_bytes == held && room < memory);
	}
	device->memory = memory;
	assert_true(turns > 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(small_outboxes_do_not_deadlock, setup, teardown),
		cmocka_unit_test_setup_teardown(launches_of_any_size, setup, teardown),
		cmocka_unit_test_setup_teardown(enough_ends_the_search, setup, teardown),
		cmocka_unit_test_setup_teardown(failing_sinks, setup, teardown),
		cmocka_unit_test_setup_teardown(reported_shares, setup, teardown),
		cmocka_unit_test_setup_teardown(invalid_lanes_are_rejected, setup, teardown),
		cmocka_unit_test_setup_teardown(memory_may_run_out, setup, teardown),
		cmocka_unit_test_setup_teardown(device_memory_may_run_out, setup, teardown),
	};
	return test_main_all(argc, argv, tests);
}
