/* Tests features of the vertices of random multigraphs against plain counts over the list of edges: with all types of
 * edges or some, directed and undirected. */
#include "harness/collective.h"
#include "harness/gas_case.h"
#include "harness/runtime.h"

#include "comm/comm.h"
#include "core/status.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "som/features/features.h"

static gemp_runtime *context;

enum { DEGREE, IN, OUT, NEIGHBOURS, TRIANGLES, CLUSTERING, PAGERANK, COMPONENT, LOG, FEATURES };
static const char feature_list[] =
	"degree,in-degree,out-degree,neighbours,triangles,clustering,pagerank,component-size,log:neighbours";

/* REFERENCE, indexed by vertex number */

typedef struct reference {
	double *values; /* [n][FEATURES] */
	bool *joined;   /* [n][n] */
	uint32_t *part; /* [n] the smallest vertex of its component */
} reference;

static void count_edges(const gas_case *c, const bool *chosen, reference *r)
{
	for (size_t i = 0; i < c->m; i++) {
		const gas_edge *e = &c->edges[i];
		double *from = r->values + e->from * FEATURES, *to = r->values + e->to * FEATURES;
		if (!chosen[e->type])
			continue;
		from[DEGREE]++;
		to[DEGREE]++;
		from[OUT]++;
		to[IN]++;
		from[IN] += c->undirected[e->type];
		to[OUT] += c->undirected[e->type];
		r->joined[e->from * c->n + e->to] = r->joined[e->to * c->n + e->from] = true;
	}
}

static void count_neighbours(const gas_case *c, reference *r, uint32_t v)
{
	double *values = r->values + v * FEATURES;
	const bool *near = r->joined + v * c->n;
	for (uint32_t a = 0; a < c->n; a++) {
		values[NEIGHBOURS] += a != v && near[a];
		for (uint32_t b = 0; b < a; b++)
			values[TRIANGLES] += a != v && b != v && near[a] && near[b] && r->joined[a * c->n + b];
	}
	const double pairs = values[NEIGHBOURS] * (values[NEIGHBOURS] - 1) / 2;
	values[CLUSTERING] = pairs > 0 ? values[TRIANGLES] / pairs : (double)NAN;
	values[LOG] = log(1 + values[NEIGHBOURS]);
}

/* Each vertex takes the smallest number among its neighbours until nothing changes. */
static void find_parts(const gas_case *c, reference *r)
{
	bool changed = true;
	for (uint32_t v = 0; v < c->n; v++)
		r->part[v] = v;
	while (changed) {
		changed = false;
		for (uint32_t a = 0; a < c->n; a++)
			for (uint32_t b = 0; b < c->n; b++)
				if (r->joined[a * c->n + b] && r->part[a] < r->part[b]) {
					r->part[b] = r->part[a];
					changed = true;
				}
	}
	for (uint32_t v = 0; v < c->n; v++)
		for (uint32_t u = 0; u < c->n; u++)
			r->values[v * FEATURES + COMPONENT] += r->part[u] == r->part[v];
}

static double *expected(const gas_case *c, const bool *chosen)
{
	reference r = { calloc(c->n * FEATURES, sizeof *r.values), calloc(c->n * c->n, sizeof *r.joined),
		            calloc(c->n, sizeof *r.part) };
	double *rank = calloc(c->n, sizeof *rank);
	size_t count;
	gas_arc *arcs = gas_case_arcs(c, chosen, GEMP_ALONG, &count);
	count_edges(c, chosen, &r);
	for (uint32_t v = 0; v < c->n; v++)
		count_neighbours(c, &r, v);
	find_parts(c, &r);
	gas_reference_pagerank(c, arcs, count, 0.85, NULL, 200, rank);
	for (uint32_t v = 0; v < c->n; v++)
		r.values[v * FEATURES + PAGERANK] = c->n * rank[v];
	free(arcs);
	free(rank);
	free(r.joined);
	free(r.part);
	return r.values;
}

/* CHECKS */

static bool near(double found, double wanted)
{
	return isnan(wanted) ? isnan(found) : fabs(found - wanted) <= 1e-6 * (1 + fabs(wanted));
}

/* say: prints the first wrong value. */
static bool all_right(const gas_case *c, const float *x, const double *wanted, bool say)
{
	for (size_t row = 0; row < c->graph->rows; row++)
		for (size_t f = 0; f < FEATURES; f++) {
			const uint32_t v = c->number[c->graph->first_vertex + row];
			if (near((double)x[row * FEATURES + f], wanted[v * FEATURES + f]))
				continue;
			if (say)
				fprintf(stderr, "%s: vertex %u, feature %zu of %s: %g, not %g\n", c->name, v, f, feature_list,
				        (double)x[row * FEATURES + f], wanted[v * FEATURES + f]);
			return false;
		}
	return true;
}

static bool summary_is_right(const gas_case *c, const gemp_feature *feature, const double *wanted, size_t f)
{
	double least = INFINITY, greatest = -INFINITY, sum = 0, count = 0;
	for (uint32_t v = 0; v < c->n; v++) {
		const double value = wanted[v * FEATURES + f];
		if (isnan(value))
			continue;
		least = fmin(least, value);
		greatest = fmax(greatest, value);
		sum += value;
		count++;
	}
	if (feature->missing != c->n - (uint64_t)count)
		return false;
	return count > 0 ? near(feature->min, least) && near(feature->max, greatest) && near(feature->mean, sum / count)
	                 : isnan(feature->mean);
}

static void check(gas_case *c, const bool *chosen)
{
	gemp_features features;
	bool *relations = gemp_calloc(c->graph->relation_count, sizeof *relations), right = true;
	float *x = gemp_calloc(c->graph->rows * FEATURES, sizeof *x);
	double *wanted = expected(c, chosen);
	gas_case_relations(c, chosen, relations);
	const gemp_features_source source = { context, c->graph, relations, "test" };
	assert_all_ok(gemp_features_parse(&features, feature_list));
	assert_all(features.count == FEATURES);
	assert_all_ok(gemp_features_find(&features, &source, x));
	assert_all(all_right(c, x, wanted, true));
	for (size_t f = 0; f < FEATURES; f++)
		right = right && summary_is_right(c, &features.items[f], wanted, f);
	assert_all(right);
	wanted[c->number[0] * FEATURES + TRIANGLES]++; /* the vertex's owner must detect the error */
	assert_all(c->graph->first_vertex > 0 || c->graph->rows == 0 || !all_right(c, x, wanted, false));
	gemp_features_free(&features);
	gemp_free(relations);
	gemp_free(x);
	free(wanted);
}

static void all_shapes(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int shape = 0; shape < GAS_SHAPES; shape++) {
		gas_case c;
		const bool all[GAS_CASE_TYPES] = { true, true, true },
				   some[GAS_CASE_TYPES] = { shape % 2, true, shape % 4 == 1 };
		assert_all_ok(gas_case_new(&c, &test_comm, shape, gemp_random(&seed), 1));
		check(&c, shape % 3 == 2 ? some : all);
		gas_case_free(&c);
	}
}

/* MEMORY */

static gemp_code find_once(void *graph)
{
	gemp_features features = { 0 };
	gemp_shard *g = graph;
	float *x = NULL;
	bool relations[GAS_CASE_TYPES] = { true, true, true };
	const gemp_features_source source = { context, g, relations, "test" };
	gemp_code code = gemp_features_parse(&features, "degree,log:in-degree,component-size");
	if (code == GEMP_OK)
		code = GEMP_NEW(x, g->rows * features.count);
	GEMP_TRY_DONE(gemp_comm_agree(&test_comm, code));
	code = gemp_features_find(&features, &source, x);
done:
	gemp_features_free(&features);
	gemp_free(x);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	if (test_comm.size > 3)
		skip(); /* more ranks take long and test nothing else */
	gas_case c;
	assert_all_ok(gas_case_new(&c, &test_comm, 2, 4, 1));
	assert_all_ok(find_once(c.graph)); /* the first call allocates caches that are never freed */
	assert_all_survive_no_memory(find_once, c.graph);
	gas_case_free(&c);
}

static void open_context(void **state)
{
	static const gemp_budgets none;
	(void)state;
	assert_all_ok(runtime_with_devices(&context, &test_comm, "cpu", &none));
}

static void close_context(void **state)
{
	(void)state;
	gemp_runtime_free(context);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_context),
		cmocka_unit_test(all_shapes),
		cmocka_unit_test(memory_may_run_out),
		cmocka_unit_test(close_context),
	};
	return test_main_all(argc, argv, tests);
}
