/* Tests PageRank on one device with several forms and shapes of the kernels. The reference is a power iteration in
 * double precision over the list of edges. */
#include "gas_dense_case.h"

#include "analytics/dense/dense.h"
#include "analytics/dense/pagerank.h"
#include "analytics/layout/layout.h"
#include "core/status.h"
#include "primitive/toolbox.h"

/* Computes one round of PageRank by its definition. */
static void reference_round(const dense_case *c, const gemp_pagerank_params *params, const double *rank, double *next)
{
	double dangling = 0, jumps = 0;
	for (uint32_t v = 0; v < c->vertices; v++) {
		double degree = c->layout.out_weight ? c->layout.out_weight[v] : (double)c->layout.out_degree[v];
		dangling += degree > 0 ? 0 : rank[v];
		jumps += params->jump ? params->jump[v] : 1;
		next[v] = 0;
	}
	for (size_t e = 0; e < c->edges; e++) {
		uint32_t u = c->source[e];
		double degree = c->layout.out_weight ? c->layout.out_weight[u] : (double)c->layout.out_degree[u];
		next[c->target[e]] += degree > 0 ? rank[u] * c->weight[e] / degree : 0;
	}
	for (uint32_t v = 0; v < c->vertices; v++)
		next[v] = params->damping * next[v] +
		          (1 - params->damping + params->damping * dangling) * (params->jump ? params->jump[v] : 1) / jumps;
}

static double change_of(const double *a, const double *b, uint32_t count)
{
	double sum = 0;
	for (uint32_t v = 0; v < count; v++)
		sum += fabs(a[v] - b[v]);
	return sum;
}

/* Computes the PageRank values after `rounds` rounds. change[r] is the sum of their changes in round r. */
static void reference_ranks(const dense_case *c, const gemp_pagerank_params *params, uint32_t rounds, double *rank,
                            double *change)
{
	double *next = gemp_calloc(c->vertices, sizeof *next), jumps = 0;
	for (uint32_t v = 0; v < c->vertices; v++)
		jumps += params->jump ? params->jump[v] : 1;
	for (uint32_t v = 0; v < c->vertices; v++)
		rank[v] = (params->jump ? params->jump[v] : 1) / jumps;
	for (uint32_t round = 0; round < rounds; round++) {
		reference_round(c, params, rank, next);
		change[round] = change_of(rank, next, c->vertices);
		memcpy(rank, next, c->vertices * sizeof *rank);
	}
	gemp_free(next);
}

static void check(const dense_case *c, const gemp_pagerank_params *params, const gemp_pagerank_result *r, bool fp64)
{
	uint32_t rounds = r->report.rounds;
	double *rank = gemp_calloc(c->vertices, sizeof *rank), *change = gemp_calloc(rounds, sizeof *change), sum = 0;
	reference_ranks(c, params, rounds, rank, change);
	assert_true(rounds <= params->rounds);
	for (uint32_t v = 0; v < c->vertices; v++) {
		sum += r->rank[v];
		if (!near(r->rank[v], rank[v], 1e-9, fp64))
			fail_msg("vertex %u of %u: %.17g, not %.17g", v, c->vertices, r->rank[v], rank[v]);
	}
	assert_true(c->vertices == 0 || near(sum, 1, 0, fp64));
	for (uint32_t round = 0; round < rounds; round++) {
		if (fabs(r->change[round] - change[round]) > (fp64 ? 1e-13 : 2e-5))
			fail_msg("round %u of %u: change %.17g, not %.17g", round, rounds, r->change[round], change[round]);
		assert_int_equal(r->change[round] < params->tolerance, r->converged && round + 1 == rounds);
	}
	if (r->converged) { /* one more round must change the values by less than the tolerance in all */
		double *next = gemp_calloc(c->vertices, sizeof *next);
		reference_round(c, params, r->rank, next);
		assert_true(change_of(r->rank, next, c->vertices) < params->tolerance);
		gemp_free(next);
	} else {
		assert_int_equal(rounds, c->vertices ? params->rounds : 0);
	}
	gemp_free(rank);
	gemp_free(change);
}

/* Two runs give the same bits, except with binned gathering in groups, where lanes of a group add to the same number in
 * any order. */
static void check_way(const dense_case *c, const gemp_dense_options *options, const gemp_pagerank_params *asks,
                      size_t count)
{
	gemp_pagerank *it;
	gemp_pagerank_result first, again;
	assert_ok(gemp_pagerank_new(&it, &c->layout, device, options));
	for (size_t a = 0; a < count; a++) {
		assert_ok(gemp_pagerank_run(it, &asks[a], &first));
		check(c, &asks[a], &first, options->fp64);
		assert_ok(gemp_pagerank_run(it, &asks[a], &again));
		check(c, &asks[a], &again, options->fp64);
		if (options->gather != GEMP_GATHER_BINNED || options->form == GEMP_FORM_ITEMS)
			assert_memory_equal(first.rank, again.rank, c->vertices * sizeof *first.rank);
		gemp_pagerank_result_free(&first);
		gemp_pagerank_result_free(&again);
	}
	gemp_pagerank_free(it);
}

/* Runs every `step`-th entry of ways[], from entry `first` on. PoCL takes seconds to compile the programs of some
 * entries. */
static void check_ways(const dense_case *c, size_t first, size_t step, uint64_t *seed)
{
	double *jump = gemp_calloc(c->vertices, sizeof *jump);
	for (uint32_t v = 0; v < c->vertices; v++)
		jump[v] = v == 1 || c->vertices == 1 ? 3 : v % 7 == 0 ? (double)gemp_random_below(seed, 5) : 0;
	const gemp_pagerank_params asks[] = { { .85, 0, 3, NULL }, { .85, 1e-4, 100, NULL }, { .5, 1e-5, 33, jump },
		                                  { .85, 0, 0, NULL }, { 0, 1e-6, 50, NULL },    { .99, 0, 20, jump } };
	for (size_t w = first; w < WAYS; w += step) {
		gemp_dense_options options = ways[w];
		options.fp64 = w == 1;
		check_way(c, &options, asks, sizeof asks / sizeof *asks);
	}
	gemp_free(jump);
}

static void small_graphs(void **state)
{
	uint64_t seed = 5;
	(void)state;
	for (uint32_t vertices = 0; vertices < 4; vertices++)
		for (size_t edges = 0; edges < 5; edges += 2) {
			dense_case c = case_new(vertices, edges, 0, edges == 2 ? 2 : 0, GEMP_LAYOUT_UNWEIGHTED, &seed);
			check_ways(&c, 1, 4, &seed);
			case_free(&c);
		}
}

static void random_graphs(void **state)
{
	uint64_t seed = test_seed();
	(void)state;
	for (int round = 0; round < 2; round++) {
		uint32_t vertices = 40 + (uint32_t)gemp_random_below(&seed, round ? 60 : 3000);
		dense_case c = case_new(vertices, (size_t)gemp_random_below(&seed, 20000), round ? 3 : 0, round ? 5 : 0,
		                        GEMP_LAYOUT_UNWEIGHTED, &seed);
		check_ways(&c, 0, 1, &seed);
		case_free(&c);
	}
}

static void weighted_graphs(void **state)
{
	static const gemp_pagerank_params params = { .85, 1e-5, 50, NULL };
	uint64_t seed = test_seed();
	(void)state;
	dense_case c = case_new(500, 9000, 3, 7, GEMP_LAYOUT_F64, &seed);
	for (int form = 0; form < 2; form++) {
		gemp_dense_options options = ways[form ? 4 : 1];
		options.fp64 = form;
		check_way(&c, &options, &params, 1);
	}
	case_free(&c);
}

/* Two vertices and the edge 0 -> 1; vertex 1 has no out-edge. Then rank(0) = jumps / 2 and rank(1) = jumps / 2 +
 * damping * rank(0). */
static void known_answer(void **state)
{
	static const gemp_pagerank_params params = { .85, 1e-14, 200, NULL };
	static const gemp_dense_options options = { .fp64 = true };
	static uint32_t source = 0, target = 1;
	static double weight = 1;
	static uint64_t begin[] = { 0, 0, 1 }, degree[] = { 1, 0 };
	(void)state;
	dense_case c = { 2,
		             1,
		             &source,
		             &target,
		             &weight,
		             { .comm = &comm,
		               .vertices = 2,
		               .edges = 1,
		               .own = 2,
		               .known = 2,
		               .out_degree = degree,
		               .in = { 2, begin, &source, NULL },
		               .in_ghost = no_rows } };
	gemp_pagerank *it;
	gemp_pagerank_result r;
	assert_ok(gemp_pagerank_new(&it, &c.layout, device, &options));
	assert_ok(gemp_pagerank_run(it, &params, &r));
	assert_true(r.converged);
	assert_true(fabs(r.rank[0] - 1 / 2.85) < 1e-13);
	assert_true(fabs(r.rank[1] - 1.85 / 2.85) < 1e-13);
	assert_true(fabs(r.dangling - r.rank[1]) < 1e-12);
	gemp_pagerank_result_free(&r);
	static const double nothing[2] = { 0, 0 };
	const gemp_pagerank_params nowhere = { .85, 0, 5, nothing };
	assert_code(gemp_pagerank_run(it, &nowhere, &r), GEMP_EDATA);
	assert_message("jumps");
	gemp_pagerank_free(it);
}

/* near() detects a relative error of 1e-3 in single precision and of 1e-10 in double precision. */
static void comparison_detects_errors(void **state)
{
	static const gemp_pagerank_params params = { .85, 0, 4, NULL };
	uint64_t seed = 8;
	(void)state;
	dense_case c = case_new(30, 100, 0, 4, GEMP_LAYOUT_UNWEIGHTED, &seed);
	double *rank = gemp_calloc(30, sizeof *rank), change[4];
	reference_ranks(&c, &params, 4, rank, change);
	assert_true(near(rank[7] * (1 + 1e-6), rank[7], 1e-9, false));
	assert_false(near(rank[7] * (1 + 1e-3), rank[7], 1e-9, false));
	assert_false(near(rank[7] * (1 + 1e-10), rank[7], 1e-9, true));
	gemp_free(rank);
	case_free(&c);
}

typedef struct attempt {
	const dense_case *c;
} attempt;

static gemp_code run_once(void *self)
{
	static const gemp_pagerank_params params = { .85, 1e-6, 40, NULL };
	const attempt *a = self;
	gemp_pagerank *it = NULL;
	gemp_pagerank_result r = { 0 };
	gemp_code code = gemp_pagerank_new(&it, &a->c->layout, device, &ways[1]);
	if (code == GEMP_OK)
		code = gemp_pagerank_run(it, &params, &r);
	if (code == GEMP_OK)
		gemp_pagerank_result_free(&r);
	gemp_pagerank_free(it);
	return code;
}

static void memory_may_run_out(void **state)
{
	uint64_t seed = 1;
	(void)state;
	dense_case c = case_new(50, 300, 3, 4, GEMP_LAYOUT_UNWEIGHTED, &seed);
	size_t held = device->buffer_bytes;
	assert_survives_no_memory(run_once, &(attempt){ &c });
	assert_int_equal(device->buffer_bytes, held);
	case_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answer),
		cmocka_unit_test(small_graphs),
		cmocka_unit_test(random_graphs),
		cmocka_unit_test(weighted_graphs),
		cmocka_unit_test(comparison_detects_errors),
		cmocka_unit_test(memory_may_run_out),
	};
	return dense_main(tests, sizeof tests / sizeof *tests);
}
