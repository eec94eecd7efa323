/* Tests PageRank and SpMV on graphs that are distributed over all ranks. The references work serially over lists of
 * arcs in double precision. */
#include "harness/collective.h"
#include "harness/gas_case.h"

#include "analytics/dense/dense.h"
#include "analytics/dense/pagerank.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout.h"
#include "core/status.h"
#include "device/device.h"
#include "device/open.h"
#include "harness/limits.h"

static gemp_device *device;

static bool near(double found, double expected, bool fp64)
{
	return fabs(found - expected) <= (fp64 ? 1e-11 : 1e-4) * (fabs(expected) + 1e-6);
}

/* size: the sum of the magnitudes of all terms. If terms of both signs cancel, the error is relative to this sum. */
static bool near_relative_to(double found, double expected, double size, bool fp64)
{
	return fabs(found - expected) <= (fp64 ? 1e-12 : 1e-5) * size;
}

/* Collective. Asserts that the values of all vertices equal expected[n] up to rounding. expected[] is indexed by the
 * vertex number of the case. own: this rank's values, by local vertex. size: as for near_relative_to, or NULL if
 * nothing cancels. */
static void check_all(const gas_case *c, const gemp_layout *layout, const double *own, const double *expected,
                      const double *size, bool fp64, const char *what)
{
	double *all = gas_case_all(c, layout, own, sizeof *all);
	bool right = true;
	for (uint32_t v = 0; v < c->n && right; v++) {
		right = size ? near_relative_to(all[v], expected[v], size[v], fp64) : near(all[v], expected[v], fp64);
		if (!right && test_comm.rank == 0)
			fprintf(stderr, "%s of %s: vertex %u: %.17g, not %.17g\n", what, c->name, v, all[v], expected[v]);
	}
	free(all);
	assert_all(right);
}

/* Returns this rank's part of all[n], by local vertex. */
static double *own_part(const gas_case *c, const gemp_layout *layout, const double *all)
{
	double *own = gemp_calloc(layout->own, sizeof *own);
	for (uint32_t v = 0; v < layout->own; v++)
		own[v] = all[c->number[layout->id[v]]];
	return own;
}

static double change_of(const double *a, const double *b, uint32_t n)
{
	double sum = 0;
	for (uint32_t v = 0; v < n; v++)
		sum += fabs(a[v] - b[v]);
	return sum;
}

/* Have the PageRank values converged? The sum of their changes in one more round of the definition must be below
 * max_change. */
static bool is_fixed(const gas_case *c, const gas_arc *arcs, size_t count, const double *jump, const double *rank,
                     double max_change)
{
	double *next = calloc(c->n, sizeof *next), *degree = calloc(c->n, sizeof *degree), dangling = 0;
	for (size_t i = 0; i < count; i++)
		degree[arcs[i].from]++;
	for (uint32_t v = 0; v < c->n; v++)
		dangling += degree[v] > 0 ? 0 : rank[v];
	for (size_t i = 0; i < count; i++)
		next[arcs[i].to] += .85 * rank[arcs[i].from] / degree[arcs[i].from];
	for (uint32_t v = 0; v < c->n; v++)
		next[v] += (.15 + .85 * dangling) * (jump ? jump[v] : 1.0 / c->n);
	bool fixed = change_of(rank, next, c->n) < max_change;
	free(next);
	free(degree);
	return fixed;
}

/* Returns random jump values for about a quarter of the vertices, also vertices without edges; their sum is 1. */
static double *some_jumps(const gas_case *c, uint64_t *random)
{
	double *jump = calloc(c->n, sizeof *jump), sum = 0;
	for (uint32_t v = 0; v < c->n; v++)
		sum += jump[v] = v == 0 || gemp_random_below(random, 4) == 0 ? 1 + (double)gemp_random_below(random, 3) : 0;
	for (uint32_t v = 0; v < c->n; v++)
		jump[v] /= sum;
	return jump;
}

static void check_pagerank(const gas_case *c, gemp_layout_cut cut, const gemp_dense_options *options, bool jumps,
                           uint64_t *random)
{
	gemp_layout layout;
	gemp_pagerank *it;
	gemp_pagerank_result r;
	size_t count;
	const bool on_device = options->gather != GEMP_GATHER_BINNED && gemp_random_below(random, 2);
	const gemp_layout_options how = {
		.direction = GEMP_ALONG, .parts = GEMP_LAYOUT_IN, .cut = cut, .device = on_device ? device : NULL
	};
	double *expected = calloc(c->n, sizeof *expected), *jump = jumps ? some_jumps(c, random) : NULL;
	gas_arc *arcs = gas_case_arcs(c, NULL, how.direction, &count);
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c->graph, &how));
	double *own = jump ? own_part(c, &layout, jump) : NULL;
	for (size_t v = 0; own && v < layout.own; v++)
		own[v] *= 3; /* the engine must normalise the jump values */
	assert_all_ok(gemp_pagerank_new(&it, &layout, device, options));
	for (uint32_t rounds = 0; rounds < 20; rounds += 1 + rounds / 2) {
		gas_reference_pagerank(c, arcs, count, .85, jump, (int)rounds, expected);
		assert_all_ok(gemp_pagerank_run(it, &(gemp_pagerank_params){ .85, 0, rounds, own }, &r));
		assert_all(r.report.rounds == rounds && !r.converged);
		check_all(c, &layout, r.rank, expected, NULL, options->fp64, "rank");
		gemp_pagerank_result_free(&r);
	}
	double tolerance = options->fp64 ? 1e-11 : 1e-4;
	assert_all_ok(gemp_pagerank_run(it, &(gemp_pagerank_params){ .85, tolerance, 300, own }, &r));
	double *all = gas_case_all(c, &layout, r.rank, sizeof *all);
	assert_all(r.converged && r.change[r.report.rounds - 1] < tolerance);
	assert_all(r.report.rounds < 2 || r.change[r.report.rounds - 2] >= tolerance);
	assert_all(is_fixed(c, arcs, count, jump, all, 1.1 * tolerance));
	/* the error moves the sum of changes by at least (1 - .85) * 20 = 3 times the tolerance */
	all[c->n - 1] += 20 * tolerance;
	assert_all(!is_fixed(c, arcs, count, jump, all, 1.1 * tolerance));
	assert_all(test_comm.size > 1 || r.report.traffic.bytes == 0);
	assert_all(layout.grid.columns > 1 || r.report.sum_bytes == 0);
	free(all);
	gemp_pagerank_result_free(&r);
	gemp_pagerank_free(it);
	gemp_layout_free(&layout);
	gemp_free(own);
	free(jump);
	free(arcs);
	free(expected);
}

/* Replaces x by its product with the matrix, and `size` by the same product of magnitudes. normal: both are then
 * divided by the largest magnitude of the product. */
static void multiply_again(const gas_case *c, const gas_arc *arcs, size_t count, int kind, bool transposed, bool normal,
                           double *x, double *size)
{
	double *y = calloc(c->n, sizeof *y), *sum = calloc(c->n, sizeof *sum), greatest = 0;
	gas_reference_multiply(c, arcs, count, kind, transposed, x, y);
	gas_reference_multiply(c, arcs, count, kind, transposed, size, sum);
	for (uint32_t v = 0; v < c->n; v++)
		greatest = fmax(greatest, fabs(y[v]));
	for (uint32_t v = 0; v < c->n; v++) {
		x[v] = normal && greatest > 0 ? y[v] / greatest : y[v];
		size[v] = normal && greatest > 0 ? sum[v] / greatest : sum[v];
	}
	free(y);
	free(sum);
}

static void check_spmv(const gas_case *c, gemp_layout_cut cut, const gemp_dense_options *options, int kind,
                       bool transposed, uint64_t *random)
{
	static const char *const weights[] = { NULL, "weight", "cost" };
	gemp_layout layout;
	gemp_spmv *it;
	gemp_spmv_result r;
	size_t count;
	const gemp_layout_options how = { .direction = transposed ? GEMP_ALONG : GEMP_AGAINST,
		                              .parts = GEMP_LAYOUT_IN,
		                              .weight = weights[kind],
		                              .wanted = options->fp64 ? GEMP_LAYOUT_DOUBLE : GEMP_LAYOUT_SINGLE,
		                              .cut = cut };
	gas_arc *arcs = gas_case_arcs(c, NULL, GEMP_ALONG, &count);
	double *x = calloc(c->n, sizeof *x), *expected = calloc(c->n, sizeof *expected), *size = calloc(c->n, sizeof *size);
	for (uint32_t v = 0; v < c->n; v++)
		x[v] = gemp_random_unit(random) - (kind ? 0 : .5);
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c->graph, &how));
	double *own = own_part(c, &layout, x);
	assert_all_ok(gemp_spmv_new(&it, &layout, device, options));
	for (uint32_t rounds = 0; rounds < 8; rounds = 2 * rounds + 1) {
		bool normal = rounds > 1;
		memcpy(expected, x, c->n * sizeof *x);
		for (uint32_t v = 0; v < c->n; v++)
			size[v] = fabs(x[v]);
		for (uint32_t round = 0; round < rounds; round++)
			multiply_again(c, arcs, count, kind, transposed, normal, expected, size);
		assert_all_ok(gemp_spmv_run(it, &(gemp_spmv_params){ own, rounds, normal }, &r));
		if (kind || !normal || options->fp64) /* in single precision, cancellation leaves too few correct bits */
			check_all(c, &layout, r.y, expected, kind ? NULL : size, options->fp64, "product");
		gemp_spmv_result_free(&r);
	}
	gemp_spmv_free(it);
	gemp_layout_free(&layout);
	gemp_free(own);
	free(arcs);
	free(x);
	free(expected);
	free(size);
}

static void all_shapes(void **state)
{
	uint64_t seed = test_seed_all(), random = seed;
	(void)state;
	for (int shape = 0; shape < 2 * GAS_SHAPES; shape++) {
		gas_case c;
		const gemp_dense_options options = { .fp64 = shape % 2,
			                                 .gather = shape % 4 == 2 ? GEMP_GATHER_BINNED : GEMP_GATHER_PULL,
			                                 .shape = {
												 .slice = shape % 3 ? 8 : 0, .block = 16, .range = 16, .tile = 30 } };
		gemp_layout_cut cut = shape % 2 ^ shape / GAS_SHAPES ? GEMP_LAYOUT_ON_GRID : GEMP_LAYOUT_BY_TARGET;
		TEST_LIMIT(halo_kernels, shape / 2 % 2);
		TEST_LIMIT(renumber_min, 1);
		TEST_LIMIT(halo_shared, shape % 5 ? -1 : 0);
		assert_all_ok(
			gas_case_new(&c, &test_comm, shape % GAS_SHAPES, seed + (uint64_t)shape, shape < GAS_SHAPES ? 1 : 3));
		check_pagerank(&c, cut, &options, shape < GAS_SHAPES, &random);
		check_spmv(&c, cut, &options, shape % 3, shape < GAS_SHAPES, &random);
		gas_case_free(&c);
	}
	TEST_LIMIT_DEFAULT(halo_kernels);
	TEST_LIMIT_DEFAULT(renumber_min);
	TEST_LIMIT_DEFAULT(halo_shared);
}

static gemp_code run_once(void *self)
{
	static const gemp_dense_options options = { .fp64 = false };
	const gemp_layout *layout = self;
	gemp_pagerank *pagerank = NULL;
	gemp_spmv *spmv = NULL;
	gemp_pagerank_result ranks = { 0 };
	gemp_spmv_result product = { 0 };
	gemp_code code = gemp_pagerank_new(&pagerank, layout, device, &options);
	if (code == GEMP_OK)
		code = gemp_pagerank_run(pagerank, &(gemp_pagerank_params){ .85, 0, 2, NULL }, &ranks);
	if (code == GEMP_OK)
		code = gemp_spmv_new(&spmv, layout, device, &options);
	if (code == GEMP_OK)
		code = gemp_spmv_run(spmv, &(gemp_spmv_params){ NULL, 2, true }, &product);
	gemp_pagerank_result_free(&ranks);
	gemp_spmv_result_free(&product);
	gemp_pagerank_free(pagerank);
	gemp_spmv_free(spmv);
	return code;
}

static void memory_may_run_out(void **state)
{
	static const gemp_layout_options how = { .parts = GEMP_LAYOUT_IN, .cut = GEMP_LAYOUT_ON_GRID };
	gas_case c;
	gemp_layout layout;
	(void)state;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 1));
	assert_all_ok(gemp_layout_new(&layout, &test_comm, c.graph, &how));
	assert_all_ok(run_once(&layout)); /* the first run allocates programs and other things that are kept */
	assert_all_survive_no_memory(run_once, &layout);
	gemp_layout_free(&layout);
	gas_case_free(&c);
}

static void open_device(void **state)
{
	(void)state;
	assert_all_ok(gemp_device_open(&device, "cpu", test_comm.node_rank, test_comm.node_size, 0));
}

static void close_device(void **state)
{
	(void)state;
	assert_all(device->buffer_bytes == 0);
	gemp_device_close(device);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_device),
		cmocka_unit_test(all_shapes),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_device),
	};
	return test_main_all(argc, argv, tests);
}
