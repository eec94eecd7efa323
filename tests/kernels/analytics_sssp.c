/* Tests shortest paths on one rank with several kernel shapes and all types of weights. The reference is Dijkstra's
 * algorithm on a list of arcs. */
#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "device/open.h"
#include "harness/traverse_case.h"

static gemp_device *device;
static gemp_comm comm;

static const gemp_frontier_shape shapes[] = {
	{ 0 },
	{ .slice = 4, .chunk = 1, .batch = 1 },
	{ .slice = 8, .piece = 5, .lane_max = 2 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void search_all(gas_case *c, const gemp_sssp_options *options, bool costs, gemp_edge_direction direction,
                       uint64_t *seed)
{
	size_t count;
	gas_arc *arcs = gas_case_arcs(c, NULL, direction, &count);
	gemp_layout layout;
	gemp_sssp *sssp;
	const gemp_layout_options how = { .direction = direction,
		                              .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .weight = costs ? "cost" : "weight",
		                              .wanted = GEMP_LAYOUT_LENGTHS };
	assert_ok(gemp_layout_new(&layout, &comm, c->graph, &how));
	assert_ok(gemp_sssp_new(&sssp, &layout, device, options));
	for (int i = 0; i < 4; i++) {
		uint32_t source = (uint32_t)gemp_random_below(seed, c->n);
		const char *wrong = check_sssp(c, sssp, &layout, arcs, count, costs, source);
		if (wrong)
			fail_msg("%s from %u of %s, delta %g, costs %d, along %d, slice %u", wrong, source, c->name, options->delta,
			         costs, (int)direction, options->shape.slice);
	}
	gemp_sssp_free(sssp);
	gemp_layout_free(&layout);
	free(arcs);
}

static void random_graphs(void **state)
{
	(void)state;
	static const double deltas[] = { 0, 1, 1e-3, 1e18 };
	uint64_t seed = test_seed();
	for (int round = 0; round < 6 * GAS_SHAPES; round++) {
		gas_case c;
		const int s = round / 2 % SHAPES;
		assert_ok(gas_case_new(&c, &comm, round % GAS_SHAPES, gemp_random(&seed), 1 + (uint32_t)round % 12));
		const gemp_sssp_options options = {
			.any = round % 9 == 0,
			.delta = deltas[gemp_random_below(&seed, 4)],
			.naming = s ? GEMP_SSSP_NAMING_AUTO : (gemp_sssp_naming)gemp_random_below(&seed, 3),
			.pass = s == 0 && round % 3 == 1 ? GEMP_FRONTIER_PASS_SHUFFLE : GEMP_FRONTIER_PASS_AUTO,
			.shape = shapes[s]
		};
		search_all(&c, &options, round % 2, (gemp_edge_direction)gemp_random_below(&seed, 3), &seed);
		gas_case_free(&c);
	}
}

/* Finds the distance of the last vertex of a path 0 -> 1 -> ... -> n - 1. Each arc of the path weighs `weight`; one
 * more arc from 0 to n - 1 weighs `shortcut`. */
static gemp_code path_distance(uint32_t n, double weight, double shortcut, gemp_layout_weights kind, uint64_t *last,
                               double *real)
{
	uint64_t *begin = calloc(n + 1, sizeof *begin), *out_degree = calloc(n, sizeof *out_degree);
	uint64_t *in_begin = calloc(n + 1, sizeof *in_begin), *none = calloc(n + 1, sizeof *none), least = UINT64_MAX;
	uint32_t *end = calloc(n, sizeof *end), *in_end = calloc(n, sizeof *in_end), *ids = calloc(n, sizeof *ids);
	double weights[64], in_weights[64];
	uint64_t integers[64], in_integers[64];
	uint32_t arcs = 0;
	for (uint32_t v = 0; v + 1 < n; v++) {
		begin[v] = arcs;
		weights[arcs] = weight;
		end[arcs++] = v + 1;
		if (v == 0) {
			weights[arcs] = shortcut;
			end[arcs++] = n - 1;
		}
	}
	begin[n - 1] = begin[n] = arcs;
	for (uint32_t v = 1, at = 0; v < n; v++) {
		in_begin[v] = at;
		if (v == n - 1) {
			in_weights[at] = shortcut;
			in_end[at++] = 0;
		}
		in_weights[at] = weight;
		in_end[at++] = v - 1;
		in_begin[n] = at;
	}
	for (uint32_t i = 0; i < arcs; i++) {
		integers[i] = weights[i] >= 0x1p64 ? UINT64_MAX : (uint64_t)weights[i];
		in_integers[i] = in_weights[i] >= 0x1p64 ? UINT64_MAX : (uint64_t)in_weights[i];
	}
	for (uint32_t v = 0; v < n; v++) {
		ids[v] = v;
		out_degree[v] = begin[v + 1] - begin[v];
	}
	const gemp_shard graph = { .ranks = 1, .vertex_count = n, .rows = n };
	const bool floats = kind == GEMP_LAYOUT_F64;
	const gemp_layout layout = {
		.comm = &comm,
		.graph = &graph,
		.vertices = n,
		.edges = arcs,
		.own = n,
		.known = n,
		.id = ids,
		.key_rank = ids,
		.local = ids,
		.out_degree = out_degree,
		.weights = kind,
		.min_weight = weight < shortcut ? weight : shortcut,
		.max_weight = weight > shortcut ? weight : shortcut,
		.weight_sum = weight * (n - 1) + shortcut,
		.in = { n, in_begin, in_end, floats ? (void *)in_weights : in_integers },
		.in_ghost = { n, none, NULL, NULL },
		.out = { n, begin, end, floats ? (void *)weights : integers },
	};
	gemp_sssp *sssp = NULL;
	gemp_sssp_result r;
	if (kind == GEMP_LAYOUT_U32)
		for (uint32_t i = 0; i < arcs; i++) {
			((uint32_t *)(void *)integers)[i] = (uint32_t)integers[i];
			((uint32_t *)(void *)in_integers)[i] = (uint32_t)in_integers[i];
		}
	gemp_code code = gemp_sssp_new(&sssp, &layout, device, NULL);
	for (int again = 0; again < 2 && code == GEMP_OK; again++)
		code = gemp_sssp_run(sssp, 0, &r);
	if (code == GEMP_OK && floats)
		*real = r.real[n - 1];
	else if (code == GEMP_OK)
		least = r.distance[n - 1];
	*last = least;
	gemp_sssp_free(sssp);
	free(begin);
	free(out_degree);
	free(in_begin);
	free(none);
	free(end);
	free(in_end);
	free(ids);
	return code;
}

/* Distances beyond 32 bits are computed in 64 bits. It is an error if a shortest distance exceeds 64 bits, but not if
 * only a longer path does. */
static void long_distances(void **state)
{
	(void)state;
	uint64_t last;
	double real;
	assert_ok(path_distance(3, 2147483647, 4294967295.0, GEMP_LAYOUT_U32, &last, &real));
	assert_true(last == 4294967294u);
	assert_ok(path_distance(4, 2147483647, 4294967295.0, GEMP_LAYOUT_U32, &last, &real));
	assert_true(last == 4294967295u);
	assert_ok(path_distance(20, 4294967295.0, 4294967295.0, GEMP_LAYOUT_U32, &last, &real));
	assert_true(last == 4294967295u);
	assert_ok(path_distance(20, 4000000000.0, 4294967295.0, GEMP_LAYOUT_U32, &last, &real));
	assert_true(last == 4294967295u);
	assert_ok(path_distance(3, 0x1p63, 0x1p40, GEMP_LAYOUT_U64, &last, &real));
	assert_true(last == UINT64_C(1) << 40);
	assert_code(path_distance(4, 0x1p63, 0x1p40, GEMP_LAYOUT_U64, &last, &real), GEMP_EDATA);
	assert_message("2^64");
	assert_code(path_distance(3, 0x1p64, 5, GEMP_LAYOUT_U64, &last, &real), GEMP_EDATA);
	assert_ok(path_distance(5, 1e308, 1e300, GEMP_LAYOUT_F64, &last, &real) == GEMP_EDATA ? GEMP_OK : GEMP_EINTERNAL);
	assert_message("double precision");
	assert_ok(path_distance(2, 1e308, 1e300, GEMP_LAYOUT_F64, &last, &real));
	assert_true(real == 1e300);
	assert_ok(path_distance(30, 5e-324, 1, GEMP_LAYOUT_F64, &last, &real));
	assert_true(real == 29 * 5e-324);
}

/* check_sssp detects wrong answers: it must fail after the test has increased the weights of the source's arcs in the
 * reference only. */
static void check_detects_wrong_answers(void **state)
{
	(void)state;
	gas_case c;
	size_t count;
	gemp_layout layout;
	gemp_sssp *sssp;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .weight = "weight",
		                              .wanted = GEMP_LAYOUT_LENGTHS };
	assert_ok(gas_case_new(&c, &comm, 2, 4, 10));
	gas_arc *arcs = gas_case_arcs(&c, NULL, GEMP_ALONG, &count);
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_ok(gemp_sssp_new(&sssp, &layout, device, NULL));
	uint32_t source = arcs[0].from == arcs[0].to ? arcs[1].from : arcs[0].from;
	assert_null(check_sssp(&c, sssp, &layout, arcs, count, false, source));
	for (size_t i = 0; i < count; i++)
		arcs[i].weight += arcs[i].from == source;
	assert_non_null(check_sssp(&c, sssp, &layout, arcs, count, false, source));
	gemp_sssp_free(sssp);
	gemp_layout_free(&layout);
	free(arcs);
	gas_case_free(&c);
}

static gemp_code search_once(void *self)
{
	gemp_layout *layout = self;
	gemp_sssp *sssp;
	gemp_sssp_result r;
	gemp_code code = gemp_sssp_new(&sssp, layout, device, NULL);
	if (code == GEMP_OK)
		code = gemp_sssp_run(sssp, 0, &r);
	gemp_sssp_free(sssp);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	gas_case c;
	gemp_layout layout;
	const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN | GEMP_LAYOUT_OUT,
		                              .weight = "weight",
		                              .wanted = GEMP_LAYOUT_LENGTHS };
	assert_ok(gas_case_new(&c, &comm, 5, 3, 2));
	assert_ok(gemp_layout_new(&layout, &comm, c.graph, &how));
	assert_survives_no_memory(search_once, &layout);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(long_distances),
		cmocka_unit_test(check_detects_wrong_answers),
		cmocka_unit_test(memory_may_run_out),
	};
	if (gemp_device_open(&device, NULL, 0, 1, 0) != GEMP_OK)
		return TEST_SKIPPED;
	MPI_Init(&argc, &argv);
	gemp_comm_new(&comm, MPI_COMM_SELF);
	int failed = test_main(tests);
	gemp_comm_free(&comm);
	MPI_Finalize();
	gemp_device_close(device);
	return failed;
}
