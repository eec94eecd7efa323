/* Tests sets of devices that leave out rows of known classes, against the reference: for forms of one and of two
 * numbers, sets with too few slots for all classes, result buffers of few rows, several passes of the host, partial
 * matches that travel, and failing requests for memory. CPU devices have a set here, too. */
#include "harness/limits.h"
#include "match_case.h"

#include "core/memory.h"
#include "device/compilation.h"

#include <stdlib.h>

static case_graph dense, sparse;

static gemp_match_options options_of(gemp_semantics semantics, gemp_distinct distinct, bool listed)
{
	gemp_match_options o = plain_options;
	o.semantics = semantics;
	o.distinct = distinct;
	o.symmetry_by_hash = distinct == GEMP_BY_ORBIT;
	o.listed = listed;
	return o;
}

/* Runs without threads of the host, so that every match comes from a device. */
static gemp_match_result run(const case_graph *graph, const char *shape, const gemp_match_options *o)
{
	const question q = { .shape = shape };
	gemp_pattern *pattern = parse_question(&q, graph->distributed);
	gemp_match *match = NULL;
	gemp_match_result result;
	assert_all_ok(gemp_match_prepare(&match, context, graph->distributed, pattern, o));
	assert_all_ok(gemp_match_run(match, NULL, &result));
	for (const gemp_search *s = match->search; s; s = s->next)
		assert_null(s->device_set);
	gemp_match_free(match);
	gemp_pattern_free(pattern);
	return result;
}

/* A set that is large enough leaves out all duplicates of a rank, unless work-items add one class at the same time. */
static void every_duplicate_is_left_out(void **state)
{
	(void)state;
	const gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	TEST_LIMIT(device_set_slots, 1 << 16);
	const gemp_match_result result = run(&dense, "cycle:4", &o);
	const uint64_t duplicates = result.embeddings - result.matches;
	assert_all(result.matches > 30 && result.left_out <= duplicates);
	if (test_comm.size == 1)
		assert_int_equal(result.left_out, duplicates);
	TEST_LIMIT(device_set_slots, 0);
	const gemp_match_result without = run(&dense, "cycle:4", &o);
	assert_all(without.matches == result.matches && without.embeddings == result.embeddings);
	assert_all(context->device->gpu || without.left_out == 0);
}

static void a_full_set_lets_duplicates_pass(void **state)
{
	(void)state;
	const gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	TEST_LIMIT(device_set_slots, 64);
	const gemp_match_result result = run(&dense, "cycle:4", &o);
	assert_all(result.left_out < result.embeddings - result.matches);
	TEST_LIMIT(device_set_slots, 0);
}

/* One rank with one device counts classes on the device. Then no row reaches the host unless a row finds no slot, and
 * rows whose slot another work-item may be writing wait for a second launch: with "late" these are all rows of classes
 * that the set has. Counts must be those of a search without a set. */
static void classes_are_counted_on_the_device(void **state)
{
	static const struct {
		const char *shape;
		bool sparse;
	} searches[] = { { "cycle:4", false }, { "triangle", false }, { "edges:0-1,1-2,2-3,3-4", true } };
	static const char *const choices[] = { "on", "late" };
	static const size_t slots[] = { 1 << 18, 64, 128, 512 };
	static const uint64_t buffers[] = { 0, 50 };
	const gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	(void)state;
	for (int s = 0; s < 3; s++) {
		const case_graph *graph = searches[s].sparse ? &sparse : &dense;
		setenv("GEMP_DEVICE_SET", "off", 1);
		const gemp_match_result expected = run(graph, searches[s].shape, &o);
		for (int i = 0; i < 16; i++) {
			setenv("GEMP_DEVICE_SET", choices[i % 2], 1);
			TEST_LIMIT(device_set_slots, slots[i / 2 % 4]);
			context->budgets.result_buffer = buffers[i / 8];
			if (context->budgets.result_buffer && searches[s].sparse)
				continue;
			const gemp_match_result result = run(graph, searches[s].shape, &o);
			assert_all(result.matches == expected.matches && result.embeddings == expected.embeddings);
			const uint64_t duplicates = result.embeddings - result.matches;
			if (test_comm.size == 1)
				assert_true(slots[i / 2 % 4] > 1 << 16 ? result.left_out == duplicates : result.left_out <= duplicates);
		}
	}
	TEST_LIMIT(device_set_slots, 0);
	context->budgets.result_buffer = 0;
	unsetenv("GEMP_DEVICE_SET");
}

/* The host has found some classes before the device begins, and needs the forms of the device's set to know whether the
 * device has counted them again. */
static void classes_of_the_host_are_not_counted_twice(void **state)
{
	gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	uint64_t early = 0;
	(void)state;
	o.replicate = GEMP_REPLICATE_ALL;
	const gemp_match_result expected = run(&dense, "cycle:4", &o);
	TEST_LIMIT(device_set_slots, 1 << 16);
	for (int pivots = 3; pivots < 22; pivots += 5) {
		TEST_LIMIT(early_pivots, pivots);
		const gemp_match_result result = run(&dense, "cycle:4", &o);
		assert_all(result.matches == expected.matches && result.embeddings == expected.embeddings);
		early += result.early_pivots;
		print_message("%llu of %llu pivots early\n", (unsigned long long)result.early_pivots,
		              (unsigned long long)result.pivots);
	}
	assert_all(early > 0);
	TEST_LIMIT(early_pivots, 0);
	TEST_LIMIT(device_set_slots, 0);
}

static void check(const case_graph *graph, const char *shape, gemp_semantics semantics, gemp_distinct distinct)
{
	static const size_t slots[] = { 64, 1 << 16, 256 };
	static const uint64_t buffers[] = { 0, 60, 70 };
	const question q = { .shape = shape };
	for (int i = 0; i < 3; i++) {
		gemp_match_options o = options_of(semantics, distinct, i == 1);
		TEST_LIMIT(device_set_slots, slots[i]);
		context->budgets.result_buffer = buffers[i];
		if (i == 1) {
			o.replicate = 0;
			o.exchange = GEMP_EXCHANGE_PUSH;
		}
		assert_true(check_answer(graph, &q, &o));
	}
	context->budgets.result_buffer = 0;
	TEST_LIMIT(device_set_slots, 0);
}

static void forms_of_one_number(void **state)
{
	(void)state;
	check(&dense, "cycle:4", GEMP_ISO, GEMP_BY_ORBIT);
	check(&dense, "clique:4", GEMP_INDUCED, GEMP_BY_VERTICES);
	check(&dense, "path:3", GEMP_HOM, GEMP_BY_ORBIT);
}

/* 7,200 vertices to the power of 5 exceed 64 bits. The reference would be slow, but a search that breaks symmetry uses
 * neither sets nor hashes. */
static void forms_of_two_numbers(void **state)
{
	static const char path[] = "edges:0-1,1-2,2-3,3-4";
	gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	(void)state;
	o.symmetry_by_hash = false;
	const gemp_match_result broken = run(&sparse, path, &o);
	o.symmetry_by_hash = true;
	for (size_t slots = 64; slots <= 1 << 18; slots <<= 6) {
		TEST_LIMIT(device_set_slots, slots);
		const gemp_match_result result = run(&sparse, path, &o);
		assert_all(result.matches == broken.matches && result.embeddings == broken.embeddings);
		if (test_comm.size == 1 && slots > 1 << 16)
			assert_int_equal(result.left_out, result.embeddings - result.matches);
	}
	TEST_LIMIT(device_set_slots, 0);
}

/* Each pass begins with an empty set, or classes of later passes would be missing. The set is too small to count all
 * classes without passes. */
static void several_passes(void **state)
{
	(void)state;
	gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	const gemp_match_result expected = run(&sparse, "path:4", &o);
	context->budgets.host_memory = 16 << 10;
	TEST_LIMIT(device_set_slots, 256);
	const gemp_match_result result = run(&sparse, "path:4", &o);
	assert_all(result.distinct_passes > 1 && result.left_out > 0);
	assert_all(result.matches == expected.matches && result.embeddings == expected.embeddings);
	o.limit = 20; /* ends before the first pass */
	assert_all(!run(&sparse, "path:4", &o).complete);
	context->budgets.host_memory = 0;
	TEST_LIMIT(device_set_slots, 0);
}

/* A device that has no memory left for a set works without one. */
static void a_set_needs_memory(void **state)
{
	(void)state;
	const gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	gemp_device *device = context->device;
	const size_t memory = device->memory;
	setenv("GEMP_DEVICE_SET", "on", 1);
	assert_all(run(&dense, "cycle:4", &o).left_out > 0);
	context->budgets.result_buffer = 4096;
	device->memory = device->buffer_bytes + (1 << 20);
	const gemp_match_result result = run(&dense, "cycle:4", &o);
	device->memory = memory;
	context->budgets.result_buffer = 0;
	setenv("GEMP_DEVICE_SET", "off", 1);
	assert_all(run(&dense, "cycle:4", &o).left_out == 0);
	unsetenv("GEMP_DEVICE_SET");
	assert_all(result.matches > 30);
}

static gemp_code run_once(void *argument)
{
	const question q = { .shape = "triangle" };
	const gemp_match_options o = options_of(GEMP_ISO, GEMP_BY_ORBIT, false);
	GEMP_OWNED_BY(gemp_pattern_free_at) gemp_pattern *pattern = NULL;
	GEMP_OWNED_BY(gemp_match_free_at) gemp_match *match = NULL;
	gemp_match_result result;
	(void)argument;
	GEMP_TRY(gemp_comm_agree(&test_comm, gemp_pattern_named(&pattern, q.shape)));
	GEMP_TRY(gemp_comm_agree(&test_comm, gemp_pattern_bind(pattern, dense.distributed)));
	GEMP_TRY(gemp_match_prepare(&match, context, dense.distributed, pattern, &o));
	return gemp_match_run(match, NULL, &result);
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 2) /* lets each request for memory of each rank fail, which is slow on many ranks */
		return;
	TEST_LIMIT(device_set_slots, 1 << 10);
	assert_all_survive_no_memory(run_once, NULL);
	TEST_LIMIT(device_set_slots, 0);
}

static int compare_pairs(const void *a, const void *b)
{
	const fixture_edge *x = a, *y = b;
	const size_t u[] = { gemp_min(x->source, x->target), gemp_max(x->source, x->target) };
	const size_t w[] = { gemp_min(y->source, y->target), gemp_max(y->source, y->target) };
	return u[0] != w[0] ? (u[0] > w[0]) - (u[0] < w[0]) : (u[1] > w[1]) - (u[1] < w[1]);
}

/* A graph without loops and parallel edges, since sets of devices serve embeddings that are vertices alone. */
static void simple_graph(case_graph *g, size_t vertices, size_t edges, uint64_t seed)
{
	fixture made = fixture_new(vertices, edges, KEYS_INTEGER, seed);
	const gemp_builder_options options = { .seed = seed, .undirected = true };
	size_t kept = 0;
	qsort(made.edges, edges, sizeof *made.edges, compare_pairs);
	for (size_t e = 0; e < edges; e++)
		if (made.edges[e].source != made.edges[e].target &&
		    (kept == 0 || compare_pairs(&made.edges[kept - 1], &made.edges[e]) != 0))
			made.edges[kept++] = made.edges[e];
	made.edge_count = kept;
	assert_all_ok(fixture_build(&g->distributed, &made, &test_comm, &options, seed));
	assert_all_ok(fixture_build(&g->whole, &made, &alone, &options, seed));
	fixture_free(&made);
}

static int open_graphs(void **state)
{
	const int failed = open_context(state);
	if (failed)
		return failed;
	simple_graph(&dense, 22, 100, 20261129);
	simple_graph(&sparse, 7200, 9000, 20261130);
	return 0;
}

static int close_graphs(void **state)
{
	graph_free(&dense);
	graph_free(&sparse);
	return close_context(state);
}

#define WITH_GRAPHS(test) cmocka_unit_test_setup_teardown(test, open_graphs, close_graphs)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		WITH_GRAPHS(every_duplicate_is_left_out),
		WITH_GRAPHS(a_full_set_lets_duplicates_pass),
		WITH_GRAPHS(classes_are_counted_on_the_device),
		WITH_GRAPHS(classes_of_the_host_are_not_counted_twice),
		WITH_GRAPHS(forms_of_one_number),
		WITH_GRAPHS(forms_of_two_numbers),
		WITH_GRAPHS(several_passes),
		WITH_GRAPHS(a_set_needs_memory),
		WITH_GRAPHS(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
