/* Tests the independent checks of analytics results: they must accept the results of a plain reference and must detect
 * each kind of error. */
#include "analytics/layout/layout.h"
#include "analytics/verify/verify.h"
#include "analytics/verify/verify_edges.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/graph.h"
#include "harness/collective.h"
#include "harness/gas_case.h"
#include "harness/limits.h"

/* A graph and the settings of one analysis. The test indexes results by vertex number of the case; the checks index
 * them by row. */
typedef struct question {
	gas_case c;
	gemp_verify_edges edges;
	gas_arc *arcs;
	size_t count;
	bool costs;
	uint32_t source;
} question;

static void question_new(question *q, int shape, uint64_t seed, uint32_t scale, gemp_edge_direction direction,
                         const char *weight)
{
	*q = (question){ .costs = weight && weight[0] == 'c' };
	assert_all_ok(gas_case_new(&q->c, &test_comm, shape, seed, scale));
	q->edges = (gemp_verify_edges){ .comm = &test_comm, .graph = q->c.graph, .direction = direction, .weight = weight };
	q->arcs = gas_case_arcs(&q->c, NULL, direction, &q->count);
	q->source = (uint32_t)(seed % q->c.n);
}

static void question_free(question *q)
{
	free(q->arcs);
	gas_case_free(&q->c);
}

static void *rows_of(const question *q, const void *values, size_t size)
{
	const gemp_shard *graph = q->c.graph;
	char *rows = malloc(graph->rows * size + 1);
	for (size_t row = 0; row < graph->rows; row++)
		memcpy(rows + row * size, (const char *)values + q->c.number[graph->first_vertex + row] * size, size);
	return rows;
}

static gemp_vertex id_of(const question *q, uint32_t number)
{
	for (uint32_t id = 0; id < q->c.n; id++)
		if (q->c.number[id] == number)
			return id;
	return GEMP_NO_VERTEX;
}

/* BFS */

static gemp_code check_levels(const question *q, const uint32_t *level, const uint32_t *parent, bool least)
{
	uint32_t *levels = rows_of(q, level, sizeof *level), *ids = malloc((q->c.n + 1) * sizeof *ids);
	for (uint32_t v = 0; v < q->c.n; v++)
		ids[v] = parent[v] == GEMP_NO_VERTEX ? GEMP_NO_VERTEX : id_of(q, parent[v]);
	gemp_vertex *parents = rows_of(q, ids, sizeof *ids);
	gemp_code code = gemp_verify_bfs(&q->edges, id_of(q, q->source), levels, parents, least);
	free(levels);
	free(ids);
	free(parents);
	return code;
}

static void levels_of(const question *q, uint32_t *level, uint32_t *parent)
{
	gas_reference_levels(&q->c, q->arcs, q->count, q->source, level);
	for (uint32_t v = 0; v < q->c.n; v++)
		parent[v] = GEMP_NO_VERTEX;
	for (size_t i = 0; i < q->count; i++) {
		const gas_arc *a = &q->arcs[i];
		if (level[a->from] != UINT32_MAX && level[a->from] + 1 == level[a->to] && a->from < parent[a->to])
			parent[a->to] = a->from;
	}
}

static void right_levels(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 24; i++) {
		question q;
		question_new(&q, i % GAS_SHAPES, seed + (uint64_t)i, 1 + (uint32_t)i % 3, (gemp_edge_direction)(i % 3), NULL);
		uint32_t *level = malloc(q.c.n * sizeof *level), *parent = malloc(q.c.n * sizeof *parent);
		levels_of(&q, level, parent);
		assert_all_ok(check_levels(&q, level, parent, true));
		free(level);
		free(parent);
		question_free(&q);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* Makes a small graph: the path 0 -> 1 -> 2 -> 3, the detour 0 -> 4 -> 2, and the edge 5 -> 6. */
static void small_question(question *q, const char *weight)
{
	static const uint32_t ends[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 0, 4 }, { 4, 2 }, { 5, 6 } };
	uint64_t random = 1;
	*q = (question){ .c = { .n = 7 }, .costs = weight && weight[0] == 'c' };
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		gas_case_edge(&q->c, &random, ends[i][0], ends[i][1]);
		q->c.edges[i].weight = 2;
		q->c.edges[i].cost = 0.25;
	}
	assert_all_ok(gas_case_build(&q->c, &test_comm, 3));
	q->edges = (gemp_verify_edges){ .comm = &test_comm, .graph = q->c.graph, .weight = weight };
	q->arcs = gas_case_arcs(&q->c, NULL, GEMP_ALONG, &q->count);
}

static void wrong_levels(void **state)
{
	(void)state;
	static const struct {
		uint32_t vertex, level, parent;
		const char *says;
	} errors[] = {
		{ 3, 4, 2, "more than a level behind" },    /* level too large */
		{ 3, 2, 2, "no edge that ends a path" },    /* level too small */
		{ 3, 3, 1, "no edge that ends a path" },    /* no edge comes from this parent */
		{ 2, 2, 4, "smaller key than the parent" }, /* not the smallest parent */
		{ 3, UINT32_MAX, GEMP_NO_VERTEX, "more than a level behind" },
		{ 6, 1, 0, "no edge that ends a path" },
		{ 6, UINT32_MAX, 5, "not reached from" },
		{ 3, 3, GEMP_NO_VERTEX, "without a parent" },
		{ 0, 1, GEMP_NO_VERTEX, "--verify: " }, /* these two errors cause further faults, of which any may come first */
		{ 5, 0, GEMP_NO_VERTEX, "--verify: " },
	};
	question q;
	uint32_t level[7], parent[7];
	small_question(&q, NULL);
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		levels_of(&q, level, parent);
		assert_all_ok(check_levels(&q, level, parent, true));
		level[errors[i].vertex] = errors[i].level;
		parent[errors[i].vertex] = errors[i].parent;
		assert_all_code(check_levels(&q, level, parent, true), GEMP_EINTERNAL);
		/* several ranks may each find another fault */
		assert_all(strstr(gemp_message(), test_comm.size == 1 ? errors[i].says : "--verify: "));
	}
	levels_of(&q, level, parent);
	parent[2] = 4;
	assert_all_ok(check_levels(&q, level, parent, false));
	question_free(&q);
}

/* SSSP */

static gemp_code check_distances(const question *q, const double *distance, const uint32_t *parent)
{
	uint32_t n = q->c.n, *ids = malloc((n + 1) * sizeof *ids);
	uint64_t *whole = malloc((n + 1) * sizeof *whole);
	for (uint32_t v = 0; v < n; v++) {
		ids[v] = parent && parent[v] != GEMP_NO_VERTEX ? id_of(q, parent[v]) : GEMP_NO_VERTEX;
		whole[v] = isinf(distance[v]) ? UINT64_MAX : (uint64_t)distance[v];
	}
	uint64_t *integers = rows_of(q, whole, sizeof *whole);
	double *reals = rows_of(q, distance, sizeof *distance);
	gemp_vertex *parents = rows_of(q, ids, sizeof *ids);
	gemp_code code = gemp_verify_sssp(&q->edges, id_of(q, q->source), q->costs ? NULL : integers,
	                                  q->costs ? reals : NULL, parent ? parents : NULL);
	free(ids);
	free(whole);
	free(integers);
	free(reals);
	free(parents);
	return code;
}

/* Computes distances, and predecessors in the order in which a search along shortest paths reaches the vertices. */
static void distances_of(const question *q, double *distance, uint32_t *parent)
{
	bool *met = calloc(q->c.n + 1, 1), moved = true;
	gas_reference_distances(&q->c, q->arcs, q->count, q->costs, q->source, distance);
	for (uint32_t v = 0; v < q->c.n; v++)
		parent[v] = GEMP_NO_VERTEX;
	for (met[q->source] = true; moved;) {
		moved = false;
		for (size_t i = 0; i < q->count; i++) {
			const gas_arc *a = &q->arcs[i];
			double length = q->costs ? a->cost : (double)a->weight;
			if (met[a->from] && !met[a->to] && distance[a->from] + length == distance[a->to]) {
				moved = met[a->to] = true;
				parent[a->to] = a->from;
			}
		}
	}
	free(met);
}

static void right_distances(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 32; i++) {
		question q;
		question_new(&q, i % GAS_SHAPES, seed + (uint64_t)i, 1 + (uint32_t)i % 3, (gemp_edge_direction)(i % 3),
		             i % 2 ? "weight" : "cost");
		double *distance = malloc(q.c.n * sizeof *distance);
		uint32_t *parent = malloc(q.c.n * sizeof *parent);
		distances_of(&q, distance, parent);
		assert_all_ok(check_distances(&q, distance, i % 5 ? parent : NULL));
		if (q.costs) {
			distance[q.source] = NAN;
			assert_all_code(check_distances(&q, distance, NULL), GEMP_EINTERNAL);
		}
		free(distance);
		free(parent);
		question_free(&q);
	}
	assert_all(gemp_memory_blocks() == 0);
}

static void wrong_distances(void **state)
{
	(void)state;
	static const struct {
		uint32_t vertex;
		double distance;
		uint32_t parent;
		const char *says;
	} errors[] = {
		{ 3, 7, 2, "shorter way" },
		{ 3, 5, 2, "no edge that ends a path" },
		{ 3, 6, 1, "no edge that ends a path" },
		{ 3, INFINITY, GEMP_NO_VERTEX, "shorter way" },
		{ 6, 1, 5, "not reached from" },
		{ 6, 0, 0, "no edge that ends a path" },
		{ 3, 6, GEMP_NO_VERTEX, "without a parent" },
		{ 0, 1, GEMP_NO_VERTEX, "" },
	};
	for (int costs = 0; costs < 2; costs++) {
		question q;
		double distance[7];
		uint32_t parent[7];
		small_question(&q, costs ? "cost" : "weight");
		for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
			distances_of(&q, distance, parent);
			assert_all_ok(check_distances(&q, distance, parent));
			distance[errors[i].vertex] = errors[i].distance * (costs ? 0.125 : 1);
			parent[errors[i].vertex] = errors[i].parent;
			assert_all_code(check_distances(&q, distance, parent), GEMP_EINTERNAL);
			assert_all(strstr(gemp_message(), test_comm.size == 1 ? errors[i].says : "--verify: "));
		}
		question_free(&q);
	}
}

/* The graph is 0 -> 1 -> ... -> length -> 1, whose cycle has weight 0. Predecessors that only go round the cycle must
 * be detected. */
static void check_cycle(uint32_t length)
{
	question q = { .c = { .n = length + 1 } };
	uint64_t random = 1;
	double distance[9] = { 0 };
	uint32_t parent[9] = { GEMP_NO_VERTEX };
	for (uint32_t v = 0; v <= length; v++) {
		gas_case_edge(&q.c, &random, v, v < length ? v + 1 : 1);
		q.c.edges[v].weight = v == 0;
		distance[v] = v > 0;
		parent[v] = v > 0 ? v - 1 : GEMP_NO_VERTEX;
	}
	assert_all_ok(gas_case_build(&q.c, &test_comm, 3));
	q.edges = (gemp_verify_edges){ .comm = &test_comm, .graph = q.c.graph, .weight = "weight" };
	assert_all_ok(check_distances(&q, distance, parent));
	parent[1] = length;
	assert_all_code(check_distances(&q, distance, parent), GEMP_EINTERNAL);
	assert_all(strstr(gemp_message(), "circle of predecessors"));
	question_free(&q);
}

/* Cycles have every length from 1 to 8, because pointer doubling works differently on cycles whose length is a power of
 * two. */
static void cycles_of_every_length(void **state)
{
	(void)state;
	for (uint32_t length = 1; length <= 8; length++)
		check_cycle(length);
}

/* PAGERANK */

static gemp_code check_ranks(const question *q, const double *jump, const double *rank, double allowed)
{
	double *jumps = jump ? rows_of(q, jump, sizeof *jump) : NULL, *pageranks = rows_of(q, rank, sizeof *rank),
		   residual = -1;
	gemp_code code = gemp_verify_pagerank(&q->edges, 0.85, jumps, pageranks, allowed, &residual);
	free(jumps);
	free(pageranks);
	return residual < 0 ? GEMP_EDATA : code;
}

static void pageranks(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	for (int i = 0; i < 24; i++) {
		question q;
		question_new(&q, i % GAS_SHAPES, seed + (uint64_t)i, 1 + (uint32_t)i % 3, (gemp_edge_direction)(i % 3), NULL);
		uint32_t n = q.c.n;
		double *jump = malloc(n * sizeof *jump), *rank = malloc(n * sizeof *rank), sum = 0;
		for (uint32_t v = 0; v < n; v++)
			sum += jump[v] = v % 3 ? 0 : 1 + v;
		for (uint32_t v = 0; v < n; v++)
			jump[v] /= sum;
		double *given = i % 2 ? jump : NULL;
		gas_reference_pagerank(&q.c, q.arcs, q.count, 0.85, given, 200, rank);
		assert_all_ok(check_ranks(&q, given, rank, 1e-12));
		if (n > 1) {
			uint32_t some = (uint32_t)(seed % (n - 1)); /* the PageRank values still add up to 1 */
			rank[some] += 1e-6;
			rank[some + 1] -= 1e-6;
			assert_all_ok(check_ranks(&q, given, rank, 1e-5));
			assert_all_code(check_ranks(&q, given, rank, 1e-8), GEMP_EINTERNAL);
			assert_all(strstr(gemp_message(), "one more iteration"));
		}
		rank[0] += 1e-6;
		assert_all_code(check_ranks(&q, given, rank, 1e-8), GEMP_EINTERNAL);
		free(jump);
		free(rank);
		question_free(&q);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* PRODUCTS */

static void products(void **state)
{
	(void)state;
	uint64_t seed = test_seed_all();
	static const char *const weights[] = { NULL, "weight", "cost" };
	for (int i = 0; i < 24; i++) {
		question q;
		question_new(&q, i % GAS_SHAPES, seed + (uint64_t)i, 1 + (uint32_t)i % 3, (gemp_edge_direction)(i % 2),
		             weights[i / 2 % 3]);
		uint32_t n = q.c.n, rounds = (uint32_t)i % 4;
		double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *from = malloc(n * sizeof *from), worst;
		for (uint32_t v = 0; v < n; v++)
			from[v] = y[v] = x[v] = sin(v + 1);
		for (uint32_t k = 0; k < rounds; k++) {
			double greatest = 0;
			gas_reference_multiply(&q.c, q.arcs, q.count, i / 2 % 3, true, from, y);
			for (uint32_t v = 0; v < n; v++)
				greatest = fabs(y[v]) > greatest ? fabs(y[v]) : greatest;
			for (uint32_t v = 0; v < n; v++)
				from[v] = y[v] = i % 5 == 0 && greatest > 0 ? y[v] / greatest : y[v];
		}
		double *xs = rows_of(&q, x, sizeof *x), *ys = rows_of(&q, y, sizeof *y);
		gemp_verify_product product = {
			.x = xs, .rounds = rounds, .normal = i % 5 == 0, .y = ys, .epsilon = ldexp(1, -53)
		};
		assert_all_ok(gemp_verify_spmv(&q.edges, &product, &worst));
		assert_all(worst <= 1);
		free(ys);
		y[seed % n] += 1e-9 * (1 + fabs(y[seed % n]));
		product.y = ys = rows_of(&q, y, sizeof *y);
		gemp_code code = gemp_verify_spmv(&q.edges, &product, NULL);
		assert_all(code == GEMP_EINTERNAL && strstr(gemp_message(), "rounding does not explain"));
		product.epsilon = 1e-6; /* with a large epsilon the error passes as rounding, unless the sum is near 0 */
		if (y[seed % n] > 1e-3)
			assert_all_ok(gemp_verify_spmv(&q.edges, &product, NULL));
		free(ys);
		y[seed % n] = i % 2 ? NAN : INFINITY;
		product.y = ys = rows_of(&q, y, sizeof *y);
		assert_all_code(gemp_verify_spmv(&q.edges, &product, NULL), GEMP_EINTERNAL);
		free(xs);
		free(ys);
		free(x);
		free(y);
		free(from);
		question_free(&q);
	}
	assert_all(gemp_memory_blocks() == 0);
}

/* Partial sums that overflow a double must not disturb the check of a sum that fits. There are four edges from 0 to
 * 1. */
static void overflowing_partial_sums(void **state)
{
	(void)state;
	static const double costs[] = { 1.5e308, 1.5e308, -1.5e308, -1.25e308 };
	question q = { .c = { .n = 3 } };
	uint64_t random = 1;
	for (size_t i = 0; i < 4; i++) {
		gas_case_edge(&q.c, &random, 0, 1);
		q.c.edges[i].cost = costs[i];
	}
	assert_all_ok(gas_case_build(&q.c, &test_comm, 3));
	q.edges = (gemp_verify_edges){ .comm = &test_comm, .graph = q.c.graph, .weight = "cost" };
	for (int normal = 0; normal < 2; normal++) {
		double y[3] = { 0, normal ? 1 : 0.25e308, 0 };
		for (int spoilt = 0; spoilt < 4; spoilt++) {
			y[1] = spoilt == 1 ? -y[1] : spoilt == 2 ? INFINITY : spoilt == 3 ? NAN : y[1];
			double *ys = rows_of(&q, y, sizeof *y);
			gemp_verify_product product = { .rounds = 1, .normal = normal, .y = ys, .epsilon = ldexp(1, -53) };
			assert_all_code(gemp_verify_spmv(&q.edges, &product, NULL), spoilt ? GEMP_EINTERNAL : GEMP_OK);
			free(ys);
		}
	}
	question_free(&q);
}

static gemp_code all_checks(void *argument)
{
	const question *q = argument;
	const gemp_shard *graph = q->c.graph;
	double *ones = malloc((graph->rows + 1) * sizeof *ones);
	uint32_t *level = malloc((graph->rows + 1) * sizeof *level), *parent = malloc((graph->rows + 1) * sizeof *parent);
	for (size_t row = 0; row < graph->rows; row++) {
		ones[row] = 1;
		level[row] = graph->first_vertex + row == 0 ? 0 : UINT32_MAX;
		parent[row] = GEMP_NO_VERTEX;
	}
	gemp_verify_product product = { .y = ones, .epsilon = 1, .rounds = 1 };
	gemp_code code = gemp_verify_bfs(&q->edges, 0, level, parent, true);
	for (size_t row = 0; row < graph->rows; row++)
		ones[row] = graph->first_vertex + row == 0 ? 0 : INFINITY;
	if (code == GEMP_OK)
		code = gemp_verify_sssp(&q->edges, 0, NULL, ones, parent);
	for (size_t row = 0; row < graph->rows; row++)
		ones[row] = 1.0 / (double)graph->vertex_count;
	if (code == GEMP_OK)
		code = gemp_verify_pagerank(&q->edges, 0.85, ones, ones, 1, NULL);
	for (size_t row = 0; row < graph->rows; row++)
		ones[row] = 0;
	if (code == GEMP_OK)
		code = gemp_verify_spmv(&q->edges, &product, NULL);
	free(ones);
	free(level);
	free(parent);
	return code;
}

static void memory_may_run_out(void **state)
{
	(void)state;
	question q;
	question_new(&q, 0, 5, 1, GEMP_ALONG, NULL);
	assert_all_survive_no_memory(all_checks, &q);
	TEST_LIMIT(verify_memory, q.c.graph->vertex_count * (uint64_t)test_comm.node_size * 56 - 1);
	assert_all_code(all_checks(&q), GEMP_ENOMEM);
	assert_all(strstr(gemp_message(), "--verify takes 56 bytes for each of"));
	TEST_LIMIT(verify_memory, gemp_limits_now()->verify_memory + 1);
	assert_all_ok(all_checks(&q));
	TEST_LIMIT_DEFAULT(verify_memory);
	question_free(&q);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_levels),
		cmocka_unit_test(wrong_levels),
		cmocka_unit_test(right_distances),
		cmocka_unit_test(wrong_distances),
		cmocka_unit_test(cycles_of_every_length),
		cmocka_unit_test(pageranks),
		cmocka_unit_test(products),
		cmocka_unit_test(overflowing_partial_sums),
		cmocka_unit_test(memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
