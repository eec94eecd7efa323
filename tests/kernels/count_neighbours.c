/* Tests sums over neighbourhoods, computed by bitmaps and by lists. The reference goes through all triples of
 * vertices. */
#include "comm/comm.h"
#include "core/status.h"
#include "count/device_graph.h"
#include "count/neighbours.h"
#include "count/plan.h"
#include "device/device.h"
#include "kernels/count_wedges_case.h"
#include "partition/runtime.h"

typedef struct values {
	int64_t c, a, g, t_01, t_12, V0_1, V1_0, V1_1, V1_2;
} values;

static int64_t wheel(const values *v)
{
	return v->c * v->c;
}
static int64_t crossed_house(const values *v)
{
	return v->g * v->c;
}
static int64_t flag(const values *v)
{
	return v->c * (v->a * v->t_01 + v->a * v->t_12);
}
static int64_t all_tables(const values *v)
{
	return v->c * v->c * v->V1_0 * v->a - v->c * v->V0_1 * v->V1_2 * v->V1_1;
}

static const struct trial {
	const char *expression;
	int power;
	int64_t (*value)(const values *v);
} trials[] = {
	{ "c * c", 2, wheel },
	{ "g * c", 1, crossed_house },
	{ "c * (t_01 * a + t_12 * a)", 1, flag },
	{ "c * c * V1_0 * a - V0_1 * V1_1 * V1_2 * c", 2, all_tables },
};

static __int128 expected(const wedges_case *s, const struct trial *trial)
{
	__int128 total = 0;
	for (uint32_t h = 0; h < s->n; h++)
		for (uint32_t x = 0; x < s->n; x++)
			for (uint32_t y = x + 1; y < s->n && case_joined(s, h, x); y++) {
				values v = { .a = case_joined(s, x, y),
					         .g = case_common(s, x, y, 0),
					         .t_01 = s->triangles[(size_t)x * s->n + h],
					         .t_12 = s->triangles[(size_t)h * s->n + y],
					         .V0_1 = (int64_t)s->table[0][h],
					         .V1_0 = (int64_t)s->table[1][x],
					         .V1_1 = (int64_t)s->table[1][h],
					         .V1_2 = (int64_t)s->table[1][y] };
				for (uint32_t z = 0; z < s->n; z++)
					v.c += case_joined(s, h, z) && case_joined(s, x, z) && case_joined(s, y, z);
				if (case_joined(s, h, y) && v.c)
					total += trial->value(&v);
			}
	return total;
}

static void check(const wedges_case *s, const struct trial *trial)
{
	__int128 want = expected(s, trial);
	const gemp_sum sum = { .kind = GEMP_SUM_NEIGHBOURS,
		                   .factor = 1,
		                   .power = trial->power,
		                   .expression = (char *)(uintptr_t)trial->expression };
	for (int shape = 0; shape < 3; shape++) { /* 0: all bitmaps at once; 1: few bitmaps at a time; 2: lists */
		gemp_sum_result result;
		if (shape == 2 && context->device->gpu)
			continue; /* the list kernel is for the few work-items of a CPU */
		uint64_t longest = s->graph.max_degree, least = longest * ((longest + 31) / 32) * sizeof(uint32_t);
		assert_ok(gemp_neighbours_sum_shaped(&s->graph, &sum, shape == 2, shape == 1 ? least : 0, &result));
		if (result.total != want)
			fail_msg("%s, %u vertices, shape %d: %lld, not %lld", trial->expression, s->n, shape,
			         (long long)result.total, (long long)want);
	}
}

static void check_graph(uint32_t n, const uint8_t *joined, bool wide)
{
	wedges_case s;
	case_make(&s, context, n, joined, wide, &seed);
	s.graph.table_bound[0] = n;
	s.graph.table_bound[1] = 1000;
	for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
		if (!wide || t == 1)
			check(&s, &trials[t]);
	case_free(&s);
}

static uint8_t *random_graph(uint32_t n, double density, uint32_t hubs)
{
	uint8_t *joined = case_new((size_t)n * n, 1);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < u; v++)
			if (v < hubs || gemp_random_unit(&seed) < density)
				joined[(size_t)u * n + v] = joined[(size_t)v * n + u] = 1;
	return joined;
}

static void random_and_complete_graphs(void **state)
{
	(void)state;
	static const struct {
		uint32_t n, hubs;
		double density;
		bool wide;
	} cases[] = { { 1, 0, 0, false },    { 2, 0, 1, false },    { 9, 0, 1, false },  { 40, 0, 0.3, false },
		          { 70, 2, 0.1, false }, { 90, 0, 0.7, false }, { 33, 1, 0, false }, { 30, 0, 0.5, true } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint8_t *joined = random_graph(cases[i].n, cases[i].density, cases[i].hubs);
		check_graph(cases[i].n, joined, cases[i].wide);
		gemp_free(joined);
	}
}

static void tables_that_do_not_fit(void **state)
{
	(void)state;
	gemp_device device = { .gpu = true, .memory = (size_t)1 << 30, .max_buffer = (size_t)1 << 28 };
	assert_true(gemp_neighbours_codegrees(&device, 0));
	assert_true(gemp_neighbours_codegrees(&device, 11000));
	assert_false(gemp_neighbours_codegrees(&device, 12000));
	assert_false(gemp_neighbours_codegrees(&device, UINT32_MAX));
	device.gpu = false;
	assert_true(gemp_neighbours_codegrees(&device, UINT32_MAX));
}

/* A budget of 64 bytes holds neither one bitmap nor the lists. The error message names the size that is needed. */
static void too_small_a_budget(void **state)
{
	(void)state;
	wedges_case s;
	uint8_t *joined = random_graph(40, 1, 0);
	gemp_sum_result result;
	const gemp_sum sum = {
		.kind = GEMP_SUM_NEIGHBOURS, .factor = 1, .power = 1, .expression = (char *)(uintptr_t) "g * c"
	};
	case_make(&s, context, 40, joined, false, &seed);
	for (int lists = 0; lists < 2; lists++) {
		assert_int_equal(gemp_neighbours_sum_shaped(&s.graph, &sum, lists, 64, &result), GEMP_ENOMEM);
		assert_non_null(strstr(gemp_message(), " MB"));
	}
	case_free(&s);
	gemp_free(joined);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_and_complete_graphs),
		cmocka_unit_test(tables_that_do_not_fit),
		cmocka_unit_test(too_small_a_budget),
	};
	MPI_Init(&argc, &argv);
	int failed = cmocka_run_group_tests(tests, setup, teardown);
	MPI_Finalize();
	return failed;
}
