/* Tests several devices on a rank; PoCL is set to offer them. The results must equal those of the reference. If there
 * is one rank, each device must take part. */
#include "match_case.h"

#include "comm/comm.h"
#include "comm/shared.h"
#include "core/status.h"
#include "device/device.h"
#include "graph/batch.h"
#include "harness/limits.h"
#include "harness/runtime.h"
#include "match/match.h"
#include "match/match_run.h"
#include "match/match_state.h"
#include "match/planner/match_options.h"
#include "match/vertex_counts.h"
#include "partition/runtime.h"
#include "partition/views/resident.h"
#include "pattern/model/pattern.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEVICES = 3 };

static int open_devices(void **state)
{
	gemp_budgets none = { 0 };
	(void)state;
	gemp_log_set_level(GEMP_QUIET);
	gemp_comm_new(&alone, MPI_COMM_SELF);
	TEST_LIMIT(match_chunk_cost, 1);
	return runtime_with_devices(&context, &test_comm, "cpu,cpu", &none) == GEMP_OK ? 0 : -1;
}

/* Fewer ranks than devices divide the devices among them; otherwise each rank has one device. */
static void devices_are_divided(void **state)
{
	(void)state;
	int size = test_comm.size, rank = test_comm.rank;
	size_t first = (size_t)(DEVICES * rank / size), end = (size_t)(DEVICES * (rank + 1) / size);
	size_t own = size < DEVICES ? end - first : 1;
	assert_all(context->other_count == own - 1);
	assert_all(context->devices == (size_t)(size < DEVICES ? DEVICES : size));
	for (size_t i = 0; i < context->other_count; i++)
		assert_int_equal(context->others[i]->device->index, first + i + 1);
}

/* True if no rank has several devices. Other tests cover this case, so the following tests skip it. */
static bool one_device_per_rank(void)
{
	return context->devices == (size_t)test_comm.size;
}

static void same_results(void **state)
{
	(void)state;
	if (one_device_per_rank())
		return;
	static const question cycle = { .shape = "cycle:4" };
	static const question labelled = { .text = "MATCH (a:Person)-[:KNOWS]->(b) RETURN a, b" };
	static const struct {
		size_t vertices, edges;
		const question *question;
		const char *shape;
		bool listed;
		gemp_distinct distinct;
		gemp_exchange_mode crossing;
		int64_t replicate;
		size_t row_cache;
	} cases[] = {
		{ .vertices = 20, .edges = 80, .question = &cycle, .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 3, .edges = 3, .question = &cycle, .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 20, .edges = 80, .question = &cycle, .shape = "nested", .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 40, .edges = 200, .question = &labelled, .listed = true, .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 40,
		  .edges = 200,
		  .question = &labelled,
		  .listed = true,
		  .distinct = GEMP_BY_VERTICES,
		  .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 20,
		  .edges = 80,
		  .question = &cycle,
		  .crossing = GEMP_EXCHANGE_PULL,
		  .row_cache = 600,
		  .replicate = GEMP_REPLICATE_ALL },
		{ .vertices = 40, .edges = 200, .question = &labelled, .listed = true, .crossing = GEMP_EXCHANGE_PUSH },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		case_graph graph;
		gemp_match_options o = plain_options;
		graph_new(&graph, cases[i].vertices, cases[i].edges, true, 5);
		o.listed = cases[i].listed;
		o.distinct = cases[i].distinct;
		o.replicate = cases[i].replicate;
		o.exchange = cases[i].crossing;
		context->budgets.result_buffer = o.listed ? 3 : 0;
		context->budgets.row_cache = cases[i].row_cache;
		if (cases[i].shape)
			setenv("GEMP_SHAPE", cases[i].shape, 1);
		assert_true(check_answer(&graph, cases[i].question, &o));
		unsetenv("GEMP_SHAPE");
		graph_free(&graph);
	}
	context->budgets = (gemp_budgets){ 0 };
}

/* Returns the work of this rank's devices since the last call and resets it. *each: has every device run launches? */
static gemp_device_work take_work(bool *each)
{
	gemp_device_work sum = context->work;
	*each = sum.launches > 0;
	context->work = (gemp_device_work){ 0 };
	for (size_t i = 0; i < context->other_count; i++) {
		gemp_device_work *work = &context->others[i]->work;
		sum.launches += work->launches;
		sum.matches += work->matches;
		*each = *each && work->launches;
		*work = (gemp_device_work){ 0 };
	}
	return sum;
}

static gemp_match *prepare(const case_graph *graph, gemp_pattern *pattern, const gemp_match_options *o)
{
	gemp_match *match = NULL;
	assert_all_ok(gemp_match_prepare(&match, context, graph->distributed, pattern, o));
	return match;
}

/* Matches, counts at vertices and a profile must be right sums over all devices, and runs over three parts of the
 * pivots must add up to a run over all pivots. If there is one rank, each device must have launched kernels. */
static void each_device_works(void **state)
{
	(void)state;
	if (one_device_per_rank())
		return;
	case_graph graph;
	const question cycle = { .shape = "cycle:4" };
	gemp_match_options o = plain_options;
	gemp_match_result result, part;
	uint64_t *counts, matches = 0, at_vertices = 0;
	int members;
	bool each;
	graph_new(&graph, 300, 3000, true, 9);
	gemp_pattern *pattern = parse_question(&cycle, graph.distributed);
	o.listed = false;
	o.in_parts = o.profile = true;
	o.count_per = 1;
	gemp_match *match = prepare(&graph, pattern, &o);
	assert_all((match->search->next != NULL) == (context->other_count > 0));
	take_work(&each);
	assert_all_ok(gemp_match_run(match, NULL, &result));
	assert_int_equal(gemp_comm_sum1(&test_comm, take_work(&each).matches), result.matches);
	assert_all(each || test_comm.size > 1);
	assert_true(result.kernel_imbalance >= 1 && result.kernel_imbalance <= (double)context->devices + 1e-9);
	counts = calloc(graph.distributed->rows + 1, sizeof *counts);
	assert_all_ok(gemp_match_vertex_counts(match, counts, &members));
	for (size_t v = 0; v < graph.distributed->rows; v++)
		at_vertices += counts[v];
	assert_int_equal(gemp_comm_sum1(&test_comm, at_vertices), result.matches * (uint64_t)members);
	assert_int_equal(match->step_rows[match->plan->step_count - 1], result.matches);
	for (uint32_t p = 0; p < 3; p++) {
		assert_all_ok(gemp_pivot_part_set(match, &(gemp_pivot_part){ p, 1, 3 }));
		assert_all_ok(gemp_match_run(match, NULL, &part));
		matches += part.matches;
	}
	assert_int_equal(matches, result.matches);
	free(counts);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	graph_free(&graph);
}

/* The first sink stops the search while devices are still busy, the second sink fails, and the third sink gets all
 * rows. */
static void stopped_and_run_again(void **state)
{
	(void)state;
	if (one_device_per_rank())
		return;
	case_graph graph;
	const question q = { .text = "MATCH (a:Person)-[:KNOWS]->(b) RETURN a, b" };
	gemp_match_result result;
	graph_new(&graph, 60, 600, true, 11);
	gemp_pattern *pattern = parse_question(&q, graph.distributed);
	context->budgets.result_buffer = 2;
	gemp_match *match = prepare(&graph, pattern, &plain_options);
	collecting few = { .wanted = 1 }, failing = { .wanted = SIZE_MAX }, all = { .wanted = SIZE_MAX };
	gemp_sink sinks[] = { collecting_sink(&few), collecting_sink(&failing), collecting_sink(&all) };
	assert_all_ok(gemp_match_run(match, &sinks[0], &result));
	failing.failing = gemp_counter_open(&test_comm);
	assert_all_code(gemp_match_run(match, &sinks[1], &result), GEMP_EIO);
	gemp_counter_close(&test_comm);
	assert_all_ok(gemp_match_run(match, &sinks[2], &result));
	assert_all(result.complete);
	assert_int_equal(gemp_comm_sum1(&test_comm, all.count), result.matches);
	free(few.rows);
	free(failing.rows);
	free(all.rows);
	gemp_match_free(match);
	context->budgets.result_buffer = 0;
	gemp_pattern_free(pattern);
	graph_free(&graph);
}

/* If the rows do not fit on one device, all ranks get a message that names the device. */
static void device_too_small(void **state)
{
	(void)state;
	if (one_device_per_rank())
		return;
	case_graph graph;
	const question cycle = { .shape = "cycle:4" };
	gemp_match *match = NULL;
	gemp_match_options o = plain_options;
	bool last = context->other_count > 0;
	gemp_device *device = last ? context->others[context->other_count - 1]->device : context->device;
	size_t memory = device->memory;
	o.listed = false;
	o.replicate = GEMP_REPLICATE_ALL;
	graph_new(&graph, 20, 80, true, 5);
	gemp_pattern *pattern = parse_question(&cycle, graph.distributed);
	if (last)
		device->memory = device->buffer_bytes + 100;
	assert_all_code(gemp_match_prepare(&match, context, graph.distributed, pattern, &o), GEMP_ENOMEM);
	assert_message("which can be left out of devices");
	device->memory = memory;
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	assert_true(check_answer(&graph, &cycle, &o));
	graph_free(&graph);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(devices_are_divided, open_devices, NULL),
		cmocka_unit_test(same_results),
		cmocka_unit_test(each_device_works),
		cmocka_unit_test(stopped_and_run_again),
		cmocka_unit_test_setup_teardown(device_too_small, NULL, close_context),
	};
	setenv("POCL_DEVICES", "pthread pthread pthread", 1);
	return test_main_all(argc, argv, tests);
}
