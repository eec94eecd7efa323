/* Tests wedge counting on random graphs, graphs with hubs and graphs without edges. The reference goes through all
 * triples of vertices. */
#include "comm/comm.h"
#include "count/wedges.h"
#include "count/wedges_grouped.h"
#include "kernels/count_wedges_case.h"
#include "partition/runtime.h"

static int64_t others(const wedges_values *v)
{
	return v->c - 1;
}
static int64_t house(const wedges_values *v)
{
	return (v->c - 1) * (v->t_01 + v->t_12);
}
static int64_t ends(const wedges_values *v)
{
	return v->V0_0 * v->c - 2 * v->V1_2 + 3;
}
static int64_t paths(const wedges_values *v)
{
	return v->V1_1 * (v->t_01 - 1) * v->c + v->V0_2 - v->V0_0 * -v->V1_0;
}
static int64_t pairs(const wedges_values *v)
{
	return v->c * (v->c - 1) * (v->c - 2);
}
static int64_t chords(const wedges_values *v)
{
	return v->a * v->c + (1 - v->a) * v->V0_0 * v->V1_2 - 1;
}

static const wedges_trial trials[] = {
	{ GEMP_SUM_WEDGES, NULL, NULL },
	{ GEMP_SUM_WEDGES, "c-1", others },
	{ GEMP_SUM_WEDGES, "(c-1)*(t_01+t_12)", house },
	{ GEMP_SUM_WEDGES, "V0_0*c - 2*V1_2 + 3", ends },
	{ GEMP_SUM_WEDGES, "V1_1*(t_01-1)*c + V0_2 - V0_0*-V1_0", paths },
	{ GEMP_SUM_PAIRS, NULL, NULL },
	{ GEMP_SUM_PAIRS, "c*(c-1)*(c-2)", pairs },
	{ GEMP_SUM_PAIRS, "a*c+(1-a)*V0_0*V1_2-1", chords },
	{ GEMP_SUM_JOINED, NULL, NULL },
	{ GEMP_SUM_PATH_PAIRS, NULL, NULL },
};
enum { TRIALS = sizeof trials / sizeof *trials };

/* The tuned shape of this device (0), and shapes that take every path of the grouped kernels on any device (1 to 5).
 * They differ in the number and size of counter windows, in packed counters, and in whether workers and groups have
 * hash tables. */
enum { SHAPES = 6 };

static gemp_wedges_shape shape_of(size_t number, const gemp_count_graph *graph, const gemp_sum *sum)
{
	static const uint32_t window[SHAPES] = { 0, 100000, 40, 3, 3, 16 }, worker[SHAPES] = { 0, 0, 64, 64, 0, 0 };
	gemp_wedges_shape shape;
	gemp_wedges_shape_for(&shape, graph, sum);
	if (number == 0)
		return shape;
	const gemp_device *device = graph->context->device;
	shape = (gemp_wedges_shape){ .group = device->gpu ? 256 : 1,
		                         .groups = 3,
		                         .lanes = device->nvidia ? 32 : 1,
		                         .row_lanes = device->nvidia ? 4 : 1,
		                         .window_words = window[number],
		                         .worker_words = worker[number] };
	for (size_t k = 0; k < 2 && number >= 3 && number != 4; k++) {
		shape.tables[k].group = device->gpu ? 64 : 1;
		shape.tables[k].words = 128u << k * 3;
	}
	return shape;
}

static void check_shape(const wedges_case *c, const wedges_trial *trial, size_t number, __int128 expected)
{
	gemp_sum sum = { .kind = trial->kind, .factor = 1, .expression = (char *)(uintptr_t)trial->expression };
	gemp_sum_result result;
	gemp_wedges_shape shape = shape_of(number, &c->graph, &sum);
	gemp_wedges *wedges;
	assert_ok(gemp_wedges_new_shaped(&wedges, &c->graph, &sum, &shape));
	for (int again = 0; again < 2; again++) {
		assert_ok(gemp_wedges_run(wedges, &result));
		if (result.total != expected)
			fail_msg("kind %d, %s, %u vertices, shape %zu: %lld, not %lld", trial->kind,
			         trial->expression ? trial->expression : "1", c->n, number, (long long)result.total,
			         (long long)expected);
	}
	gemp_wedges_free(wedges);
}

/* PoCL takes seconds to compile each kernel, so this program runs only some of the combinations. count_wedges_long.c
 * runs all of them. */
#ifndef ALL_SHAPES
#define ALL_SHAPES false
#endif

static bool is_tried(size_t trial, size_t number, bool wide)
{
	if (trials[trial].kind == GEMP_SUM_PATH_PAIRS)
		return number == 0 && !context->device->gpu; /* a GPU has no kernel for pairs of paths */
	if (ALL_SHAPES)
		return true;
	return number == 0 ? !wide || trial == 2 : number == 3 && !wide && (trial == 2 || trial == 8);
}

static void check(const wedges_case *c, size_t trial)
{
	__int128 expected = case_expected(c, &trials[trial]);
	for (size_t number = 0; number < SHAPES; number++)
		if (is_tried(trial, number, c->graph.wide))
			check_shape(c, &trials[trial], number, expected);
}

static void check_graph(uint32_t n, const uint8_t *joined, bool wide)
{
	wedges_case c;
	size_t held = context->device->buffer_bytes;
	case_make(&c, context, n, joined, wide, &seed);
	for (size_t t = 0; t < TRIALS; t++)
		check(&c, t);
	case_free(&c);
	assert_int_equal(context->device->buffer_bytes, held);
}

static void join(uint8_t *joined, uint32_t n, uint32_t u, uint32_t v)
{
	if (u != v)
		joined[(size_t)u * n + v] = joined[(size_t)v * n + u] = 1;
}

/* Joins random pairs of vertices. About half of the pairs contain one of the first `hubs` vertices. */
static uint8_t *random_adjacency(uint32_t n, uint32_t edges, uint32_t hubs)
{
	uint8_t *joined = case_new((size_t)n * n, 1);
	for (uint32_t e = 0; e < edges; e++) {
		uint32_t u = (uint32_t)gemp_random_below(&seed, n);
		join(joined, n, u, (uint32_t)gemp_random_below(&seed, gemp_random_below(&seed, 2) && hubs ? hubs : n));
	}
	return joined;
}

static void check_random(uint32_t n, uint32_t edges, uint32_t hubs, bool wide)
{
	uint8_t *joined = random_adjacency(n, edges, hubs);
	check_graph(n, joined, wide);
	gemp_free(joined);
}

static void graphs_without_edges(void **state)
{
	(void)state;
	uint8_t one = 0, two[] = { 0, 1, 1, 0 };
	check_graph(0, &one, false);
	check_graph(1, &one, false);
	check_graph(2, two, false);
	check_random(7, 0, 0, false);
}

static void sparse_and_dense(void **state)
{
	(void)state;
	check_random(30, 40, 0, false);
	check_random(40, 2000, 0, false);
	check_random(150, 600, 3, false);
	check_random(200, 300, 1, true);
}

static void random_graphs(void **state)
{
	(void)state;
	for (int i = 0; i < 8; i++) {
		uint32_t n = 1 + (uint32_t)gemp_random_below(&seed, 100);
		check_random(n, (uint32_t)gemp_random_below(&seed, 6u * n), (uint32_t)gemp_random_below(&seed, n), i % 4 == 0);
	}
}

static gemp_code run_sum(const wedges_case *c, const char *expression, __int128 *total)
{
	gemp_code code = GEMP_OK;
	gemp_sum sum = { .kind = GEMP_SUM_WEDGES, .factor = 1, .expression = (char *)(uintptr_t)expression };
	gemp_sum_result result = { 0 };
	gemp_wedges *wedges = NULL;
	GEMP_TRY_DONE(gemp_wedges_new(&wedges, &c->graph, &sum));
	assert_true(wedges->checked);
	GEMP_TRY_DONE(gemp_wedges_run(wedges, &result));
	*total = result.total;
done:
	gemp_wedges_free(wedges);
	return code;
}

/* If the bounds of the tables allow a sum beyond 64 bits, the kernel watches for overflow. A sum that fits is right; a
 * sum that does not fit is an error. */
static void sums_beyond_64_bits_are_errors(void **state)
{
	(void)state;
	wedges_case c;
	uint8_t *joined = random_adjacency(20, 60, 0);
	__int128 total, paths;
	case_make(&c, context, 20, joined, false, &seed);
	for (size_t v = 0; v < 20; v++)
		c.table[1][v] = 1;
	assert_ok(gemp_buffer_write(context->device, &c.graph.tables[1], 0, 20 * sizeof *c.table[1], c.table[1]));
	c.graph.table_bound[1] = 0x1p62;
	paths = case_expected(&c, &trials[0]);
	assert_true(paths > 0);
	assert_ok(run_sum(&c, "V1_1 * V1_2", &total));
	assert_true(total == paths);
	for (size_t v = 0; v < 20; v++)
		c.table[1][v] = (uint64_t)-0x4000000000;
	assert_ok(gemp_buffer_write(context->device, &c.graph.tables[1], 0, 20 * sizeof *c.table[1], c.table[1]));
	assert_code(run_sum(&c, "V1_1 * V1_2", &total), GEMP_EDATA);
	assert_message("does not fit into 64 bits");
	case_free(&c);
	gemp_free(joined);
}

static gemp_code both_shapes(void *argument)
{
	gemp_code code = GEMP_OK;
	const wedges_case *c = argument;
	gemp_sum sum = { .kind = GEMP_SUM_JOINED, .factor = 1 };
	gemp_sum_result result;
	gemp_wedges *wedges = NULL;
	for (size_t number = 0; number <= 3; number += 3) {
		gemp_wedges_shape shape = shape_of(number, &c->graph, &sum);
		GEMP_TRY_DONE(gemp_wedges_new_shaped(&wedges, &c->graph, &sum, &shape));
		GEMP_TRY_DONE(gemp_wedges_run(wedges, &result));
		gemp_wedges_free(wedges);
		wedges = NULL;
	}
done:
	gemp_wedges_free(wedges);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	wedges_case c;
	uint8_t *joined = random_adjacency(20, 60, 2);
	case_make(&c, context, 20, joined, false, &seed);
	size_t held = context->device->buffer_bytes;
	assert_survives_no_memory(both_shapes, &c);
	assert_int_equal(context->device->buffer_bytes, held);
	case_free(&c);
	gemp_free(joined);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_without_edges), cmocka_unit_test(sparse_and_dense),
		cmocka_unit_test(random_graphs),        cmocka_unit_test(sums_beyond_64_bits_are_errors),
		cmocka_unit_test(memory_may_run_out),
	};
	MPI_Init(&argc, &argv);
	int failed = cmocka_run_group_tests(tests, setup, teardown);
	MPI_Finalize();
	return failed;
}
