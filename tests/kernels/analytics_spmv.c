/* Tests products of sparse matrices and vectors on one device with several forms and shapes of the kernels. The
 * reference sums over the list of edges in double precision. */
#include "gas_dense_case.h"

#include "analytics/dense/dense.h"
#include "analytics/dense/spmv.h"
#include "analytics/layout/layout.h"

static void reference_product(const dense_case *c, const double *x, double *y, double *size)
{
	for (uint32_t v = 0; v < c->vertices; v++)
		y[v] = size[v] = 0;
	for (size_t e = 0; e < c->edges; e++) {
		y[c->target[e]] += c->weight[e] * x[c->source[e]];
		/* the error of a sum is measured relative to the sum of magnitudes */
		size[c->target[e]] += fabs(c->weight[e] * x[c->source[e]]);
	}
}

static double *some_values(uint32_t count, uint64_t *seed)
{
	double *x = gemp_calloc(count, sizeof *x);
	for (uint32_t v = 0; v < count; v++)
		x[v] = (double)gemp_random_below(seed, 1000) / 256 - 1; /* this value is exact in single precision */
	return x;
}

/* Checks one product. */
static void check_one_product(const dense_case *c, gemp_spmv *it, bool fp64, uint64_t *seed)
{
	double *x = some_values(c->vertices, seed), *y = gemp_calloc(c->vertices, sizeof *y);
	double *size = gemp_calloc(c->vertices, sizeof *size);
	gemp_spmv_result r;
	const gemp_spmv_params params = { x, 1, false };
	reference_product(c, x, y, size);
	assert_ok(gemp_spmv_run(it, &params, &r));
	for (uint32_t v = 0; v < c->vertices; v++)
		if (fabs(r.y[v] - y[v]) > (fp64 ? 1e-13 : 1e-5) * size[v])
			fail_msg("vertex %u of %u: %.17g, not %.17g", v, c->vertices, r.y[v], y[v]);
	gemp_spmv_result_free(&r);
	gemp_free(x);
	gemp_free(y);
	gemp_free(size);
}

/* Checks `rounds` products in a row, starting with a vector of ones. Each product is divided by its largest value. No
 * weight is negative, so nothing cancels. */
static void check_repeated_products(const dense_case *c, gemp_spmv *it, bool fp64, uint32_t rounds)
{
	double *x = gemp_calloc(c->vertices, sizeof *x), *y = gemp_calloc(c->vertices, sizeof *y);
	double *size = gemp_calloc(c->vertices, sizeof *size);
	gemp_spmv_result r;
	const gemp_spmv_params params = { NULL, rounds, true };
	assert_ok(gemp_spmv_run(it, &params, &r));
	for (uint32_t v = 0; v < c->vertices; v++)
		x[v] = 1;
	for (uint32_t round = 0; round < rounds; round++) {
		double greatest = 0;
		reference_product(c, x, y, size);
		for (uint32_t v = 0; v < c->vertices; v++)
			greatest = fmax(greatest, y[v]);
		for (uint32_t v = 0; v < c->vertices; v++)
			x[v] = greatest > 0 ? y[v] / greatest : y[v];
		assert_true(near(r.max[round], greatest, 0, fp64));
	}
	for (uint32_t v = 0; v < c->vertices; v++)
		if (!near(r.y[v], x[v], 1e-6, fp64))
			fail_msg("vertex %u of %u, %u rounds: %.17g, not %.17g", v, c->vertices, rounds, r.y[v], x[v]);
	assert_int_equal(r.report.rounds, rounds);
	gemp_spmv_result_free(&r);
	gemp_free(x);
	gemp_free(y);
	gemp_free(size);
}

static void check_way(const dense_case *c, const gemp_dense_options *options, uint64_t *seed)
{
	gemp_spmv *it;
	assert_ok(gemp_spmv_new(&it, &c->layout, device, options));
	check_one_product(c, it, options->fp64, seed);
	for (uint32_t rounds = 0; rounds < 12; rounds = 3 * rounds + 1)
		check_repeated_products(c, it, options->fp64, rounds);
	check_one_product(c, it, options->fp64, seed);
	gemp_spmv_free(it);
}

/* Runs small slices in both forms, by pull and with binned gathering. Only way 1 runs in single and in double
 * precision, because each program takes seconds to compile. */
static void forms_and_shapes(void **state)
{
	static const struct {
		int way;
		gemp_layout_weights weights;
		bool fp64;
	} cases[] = { { 1, GEMP_LAYOUT_F32, false },
		          { 1, GEMP_LAYOUT_F64, true },
		          { 4, GEMP_LAYOUT_F32, false },
		          { 8, GEMP_LAYOUT_U32, true },
		          { 9, GEMP_LAYOUT_UNWEIGHTED, false } };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint32_t size = 0; size < 4; size++) {
			static const uint32_t vertices[] = { 0, 1, 40, 900 };
			gemp_dense_options options = ways[cases[i].way];
			options.fp64 = cases[i].fp64;
			dense_case c = case_new(vertices[size], size ? (size_t)gemp_random_below(&seed, 5000) : 0, size % 2 ? 3 : 0,
			                        4, cases[i].weights, &seed);
			check_way(&c, &options, &seed);
			case_free(&c);
		}
}

/* Three vertices. Two parallel edges 0 -> 1 weigh 2 each, 1 -> 2 weighs 3, and a loop at 2 weighs -5. */
static void known_answer(void **state)
{
	static uint64_t begin[] = { 0, 0, 2, 4 }, degree[] = { 2, 1, 1 };
	static uint32_t source[] = { 0, 0, 1, 2 };
	static double weight[] = { 2, 2, 3, -5 }, x[] = { 1, 10, 100 };
	static const gemp_dense_options options = { .fp64 = true };
	const gemp_layout layout = { .comm = &comm,
		                         .vertices = 3,
		                         .edges = 4,
		                         .own = 3,
		                         .known = 3,
		                         .out_degree = degree,
		                         .weights = GEMP_LAYOUT_F64,
		                         .in = { 3, begin, source, weight },
		                         .in_ghost = no_rows };
	gemp_spmv *it;
	gemp_spmv_result r;
	(void)state;
	assert_ok(gemp_spmv_new(&it, &layout, device, &options));
	assert_ok(gemp_spmv_run(it, &(gemp_spmv_params){ x, 1, false }, &r));
	assert_true(r.y[0] == 0 && r.y[1] == 4 && r.y[2] == 30 - 500);
	gemp_spmv_result_free(&r);
	assert_ok(gemp_spmv_run(it, &(gemp_spmv_params){ x, 2, true }, &r)); /* max[] holds the largest magnitude */
	assert_true(r.max[0] == 470 && fabs(r.max[1] - (12 + 2350) / 470.0) < 1e-12);
	assert_true(r.y[0] == 0 && r.y[1] == 0 && fabs(r.y[2] - 1) < 1e-15);
	gemp_spmv_result_free(&r);
	assert_ok(gemp_spmv_run(it, &(gemp_spmv_params){ x, 0, true }, &r));
	assert_memory_equal(r.y, x, sizeof x);
	gemp_spmv_result_free(&r);
	gemp_spmv_free(it);
}

/* Runs a power iteration in long double, whose range reaches to 1e4932, and converts the results to double. */
static void reference_power_iteration(const dense_case *c, const double *x, uint32_t rounds, double *y,
                                      double *greatest)
{
	long double *from = gemp_calloc(c->vertices, sizeof *from), *to = gemp_calloc(c->vertices, sizeof *to);
	for (uint32_t v = 0; v < c->vertices; v++)
		from[v] = x ? x[v] : 1;
	for (uint32_t round = 0; round < rounds; round++) {
		long double most = 0;
		for (uint32_t v = 0; v < c->vertices; v++)
			to[v] = 0;
		for (size_t e = 0; e < c->edges; e++)
			to[c->target[e]] += (long double)c->weight[e] * from[c->source[e]];
		for (uint32_t v = 0; v < c->vertices; v++)
			most = fmaxl(most, fabsl(to[v]));
		for (uint32_t v = 0; v < c->vertices; v++)
			from[v] = most > 0 ? to[v] / most : 0;
		greatest[round] = (double)most;
	}
	for (uint32_t v = 0; v < c->vertices; v++)
		y[v] = (double)from[v];
	gemp_free(from);
	gemp_free(to);
}

static void scale_weight(dense_case *c, size_t e, int by)
{
	c->weight[e] = ldexp(c->weight[e], by);
	if (c->layout.weights == GEMP_LAYOUT_F64)
		((double *)c->layout.in.weight)[e] = ldexp(((double *)c->layout.in.weight)[e], by);
	else
		((float *)c->layout.in.weight)[e] = ldexpf(((float *)c->layout.in.weight)[e], by);
	c->layout.max_weight = fmax(c->layout.max_weight, c->weight[e]);
}

/* Scales weights, x or both by large or small powers of 2, so that a plain sum of products would overflow or
 * underflow. */
static void products_out_of_range(void **state)
{
	static const struct {
		bool fp64;
		int weight, x;
	} cases[] = {
		{ true, 1010, 0 },    { true, -1010, 0 },  { true, 0, 1020 }, { true, 0, -1000 },
		{ true, -1000, 900 }, { true, 600, -900 }, { false, 115, 0 }, { false, -110, 0 },
		{ false, 0, 900 },    { false, 0, -900 },  { false, 10, 0 },
	};
	enum { ROUNDS = 6, VERTICES = 60, EDGES = 400 };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool fp64 = cases[i].fp64;
		gemp_dense_options options = ways[1];
		dense_case c = case_new(VERTICES, EDGES, 3, 4, fp64 ? GEMP_LAYOUT_F64 : GEMP_LAYOUT_F32, &seed);
		double *x = some_values(VERTICES, &seed), y[VERTICES], greatest[ROUNDS];
		gemp_spmv *it;
		gemp_spmv_result r;
		options.fp64 = fp64;
		for (uint32_t v = 0; v < VERTICES; v++)
			x[v] = ldexp(fabs(x[v]) + 1, cases[i].x);
		for (size_t e = 0; e < EDGES; e++)
			scale_weight(&c, e, cases[i].weight);
		reference_power_iteration(&c, x, ROUNDS, y, greatest);
		assert_ok(gemp_spmv_new(&it, &c.layout, device, &options));
		assert_ok(gemp_spmv_run(it, &(gemp_spmv_params){ x, ROUNDS, true }, &r));
		for (uint32_t v = 0; v < VERTICES; v++)
			if (!near(r.y[v], y[v], 1e-6, fp64))
				fail_msg("case %zu, vertex %u: %.17g, not %.17g", i, v, r.y[v], y[v]);
		for (uint32_t round = 0; round < ROUNDS; round++)
			assert_true(isinf(greatest[round]) ? isinf(r.max[round]) : near(r.max[round], greatest[round], 0, fp64));
		assert_int_equal(r.report.rounds, ROUNDS);
		gemp_spmv_result_free(&r);
		gemp_spmv_free(it);
		case_free(&c);
		gemp_free(x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known_answer), cmocka_unit_test(forms_and_shapes),
		                                cmocka_unit_test(products_out_of_range) };
	return dense_main(tests, sizeof tests / sizeof *tests);
}
