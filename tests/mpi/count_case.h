/* Checks the sums of a count plan on small graphs that the test makes. The reference evaluates the sums by brute force
 * over an adjacency matrix. */
#ifndef GEMP_TESTS_COUNT_CASE_H
#define GEMP_TESTS_COUNT_CASE_H

#include "core/memory.h"
#include "harness/collective.h"
#include "harness/runtime.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "count/count.h"
#include "count/device_graph.h"
#include "count/engine.h"
#include "count/host_sums.h"
#include "count/plan.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "partition/build/builder.h"
#include "partition/runtime.h"
#include "partition/views/resident.h"
#include "partition/views/view.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VERTICES = 100 };

/* A graph as an adjacency matrix, and as the shard that is built of it. */
typedef struct test_graph {
	gemp_shard *graph;
	size_t vertices;
	bool edge[MAX_VERTICES][MAX_VERTICES]; /* indexed by key */
	size_t copies;                         /* number of extra parallel edges between neighbouring keys */
} test_graph;

/* What the reference knows of a graph, indexed by slot. */
typedef struct known {
	size_t vertices, table_count;
	bool edge[MAX_VERTICES][MAX_VERTICES];
	int64_t support[MAX_VERTICES][MAX_VERTICES];
	int64_t table[GEMP_MAX_VERTEX_TABLES][MAX_VERTICES];
	size_t place[3]; /* the slots bound to places 0, 1 and 2 of a sum */
} known;

static gemp_runtime *context;
static uint64_t seed;
static bool wide; /* positions in rows have 64 bits, as in a graph with very many entries */

/* GRAPHS. */
static inline void join(test_graph *m, size_t a, size_t b)
{
	m->edge[a][b] = m->edge[b][a] = a != b;
}

static inline test_graph *test_graph_new(size_t vertices)
{
	test_graph *m = gemp_calloc(1, sizeof *m);
	assert_all(m != NULL);
	m->vertices = vertices;
	return m;
}

static inline test_graph *random_graph(size_t vertices, double density)
{
	test_graph *m = test_graph_new(vertices);
	for (size_t a = 0; a < vertices; a++)
		for (size_t b = 0; b < a; b++)
			if (gemp_random_unit(&seed) < density)
				join(m, a, b);
	return m;
}

/* Two hubs that are joined to all other vertices but not to each other, and a few random edges. */
static inline test_graph *hubs(size_t vertices)
{
	test_graph *m = random_graph(vertices, 0.03);
	for (size_t a = 2; a < vertices; a++)
		for (size_t hub = 0; hub < 2; hub++)
			join(m, hub, a);
	return m;
}

/* A hub that is joined to all vertices, a clique, and neighbouring keys with so many parallel edges that their vertices
 * get slots before the hub's. */
static inline test_graph *hub_and_parallel_edges(size_t vertices)
{
	test_graph *m = test_graph_new(vertices);
	for (size_t a = 1; a < vertices; a++) {
		join(m, 0, a);
		if (a + 1 < vertices)
			join(m, a, a + 1);
		for (size_t b = 1; a < 20 && b < a; b++)
			join(m, a, b);
	}
	m->copies = 2 * vertices;
	return m;
}

static inline void build(test_graph *m)
{
	gemp_builder_options options = { .seed = gemp_random(&seed), .undirected = true };
	gemp_builder *builder = NULL;
	uint32_t file;
	gemp_code code = GEMP_OK;
	assert_all_ok(gemp_builder_new(&builder, &test_comm, &options));
	assert_all_ok(gemp_builder_file(builder, "made", &file));
	for (size_t a = 0; a < m->vertices; a++) {
		gemp_value key = { .type = GEMP_INTEGER, .integer = (int64_t)a };
		if (a % (size_t)test_comm.size == (size_t)test_comm.rank && code == GEMP_OK)
			code = gemp_builder_vertex(builder, &key, "", 0, (gemp_place){ file, a + 1 });
		for (size_t b = 0; b < a; b++) {
			gemp_value other = { .type = GEMP_INTEGER, .integer = (int64_t)b };
			size_t times = b > 0 && a == b + 1 ? m->copies + 1 : 1;
			if (!m->edge[a][b] || (a + b) % (size_t)test_comm.size != (size_t)test_comm.rank)
				continue;
			for (size_t i = 0; i < times && code == GEMP_OK; i++)
				code = gemp_builder_edge(builder, &key, &other, NULL, 0, (gemp_place){ file, a * MAX_VERTICES + b });
		}
	}
	assert_all_ok(code);
	assert_all_ok(gemp_builder_finish(builder, &m->graph));
	gemp_builder_free(builder);
}

static inline void test_graph_free(test_graph *m)
{
	gemp_shard_free(m->graph);
	gemp_free(m);
}

/* REFERENCE. */
/* Counts the triangles on the edge of places 0 and 1 whose third vertex has a slot after place 0. The result is 0 if
 * place 1 is before place 0. */
static inline int64_t triangles_over_edge(const known *k)
{
	size_t a = k->place[0], b = k->place[1];
	int64_t found = 0;
	for (size_t v = a + 1; v < k->vertices && b > a; v++)
		found += k->edge[a][v] && k->edge[b][v];
	return found;
}

static inline int64_t symbol_value(const known *k, const char *name)
{
	if (!strcmp(name, "o"))
		return k->place[1] > k->place[0];
	if (!strcmp(name, "u_01"))
		return triangles_over_edge(k);
	size_t i = (size_t)(name[strlen(name) - 1] - '0'), at = k->place[i];
	int64_t low = 0, up = 0;
	if (name[0] == 'V')
		return k->table[name[1] - '0'][at];
	if (name[0] == 't')
		return k->support[k->place[name[2] - '0']][at];
	for (size_t v = 0; v < k->vertices; v++) {
		low += k->edge[at][v] && v < k->place[0];
		up += k->edge[at][v] && v > k->place[0];
	}
	return name[0] == 'l' ? low : up;
}

static inline __int128 read_sum(const known *k, const char **at);

static inline bool skip_character(const char **at, char c)
{
	while (**at == ' ')
		(*at)++;
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

static inline __int128 read_factor(const known *k, const char **at)
{
	char name[16] = "";
	if (skip_character(at, '-'))
		return -read_factor(k, at);
	if (skip_character(at, '(')) {
		__int128 value = read_sum(k, at);
		assert_true(skip_character(at, ')'));
		return value;
	}
	if (isdigit((unsigned char)**at))
		return strtoll(*at, (char **)(uintptr_t)at, 10);
	for (size_t i = 0; isalnum((unsigned char)**at) || **at == '_'; (*at)++)
		name[i++] = **at;
	return symbol_value(k, name);
}

static inline __int128 read_product(const known *k, const char **at)
{
	__int128 value = read_factor(k, at);
	while (skip_character(at, '*'))
		value *= read_factor(k, at);
	return value;
}

static inline __int128 read_sum(const known *k, const char **at)
{
	__int128 value = read_product(k, at);
	for (;;) {
		if (skip_character(at, '+'))
			value += read_product(k, at);
		else if (skip_character(at, '-'))
			value -= read_product(k, at);
		else
			return value;
	}
}

static inline __int128 value_of(const known *k, const char *expression)
{
	const char *at = expression ? expression : "1";
	__int128 value = read_sum(k, &at);
	assert_true(*at == 0);
	return value;
}

static inline void known_tables(known *k, const gemp_count_plan *plan)
{
	for (size_t v = 0; v < k->vertices; v++)
		for (size_t u = 0; u < k->vertices; u++)
			k->table[0][v] += k->edge[v][u];
	for (size_t t = 1; t < plan->table_count; t++)
		for (size_t v = 0; v < k->vertices; v++)
			for (size_t u = 0; u < k->vertices; u++)
				if (k->edge[v][u]) {
					k->place[0] = v;
					k->place[1] = u;
					k->table[t][v] += (int64_t)value_of(k, plan->tables[t].expression);
				}
}

/* Fills the reference from the graph that the test made. Checks that each row of the engine has only edges of this
 * graph, lower slots first. */
static inline void known_fill(known *k, const test_graph *m, const gemp_count_engine *engine,
                              const gemp_count_plan *plan)
{
	const gemp_count_graph *g = &engine->graph;
	const gemp_vertex *near = engine->rows->views[0].neighbours;
	int64_t *keys = NULL;
	size_t *begin = NULL;
	memset(k, 0, sizeof *k);
	k->vertices = m->vertices;
	assert_all_ok(gemp_comm_allgather(&test_comm, GEMP_OK, m->graph->keys.integers, m->graph->rows * sizeof *keys,
	                                  (void **)&keys, &begin));
	for (size_t a = 0; a < k->vertices; a++)
		for (size_t b = 0; b < k->vertices; b++)
			k->edge[a][b] = m->edge[keys[engine->rows->order.id_of[a]]][keys[engine->rows->order.id_of[b]]];
	for (size_t a = 0; a < k->vertices; a++)
		for (size_t b = 0; b < k->vertices; b++)
			for (size_t c = 0; c < k->vertices; c++)
				k->support[a][b] += k->edge[a][b] && k->edge[a][c] && k->edge[b][c];
	for (size_t v = 0; v < k->vertices; v++)
		for (uint64_t i = g->host_offsets[v]; i < g->host_offsets[v + 1]; i++)
			assert_true(k->edge[v][near[i]] && (i < g->host_upper_offsets[v]) == (near[i] < v));
	known_tables(k, plan);
	gemp_free(keys);
	gemp_free(begin);
}

static inline __int128 cliques(const known *k, int left, const size_t *among, size_t count)
{
	__int128 found = 0;
	if (left == 0)
		return 1;
	for (size_t i = 0; i < count; i++) {
		size_t next[MAX_VERTICES], size = 0;
		for (size_t j = i + 1; j < count; j++)
			if (k->edge[among[i]][among[j]])
				next[size++] = among[j];
		found += left == 1 ? 1 : left == 2 ? (__int128)size : cliques(k, left - 1, next, size);
	}
	return found;
}

static inline __int128 sum_of(known *k, const gemp_sum *sum)
{
	__int128 total = 0;
	size_t all[MAX_VERTICES], *p = k->place, n = k->vertices;
	for (size_t v = 0; v < n; v++)
		all[v] = v;
	if (sum->kind == GEMP_SUM_CLIQUES)
		return cliques(k, sum->clique, all, n);
	for (p[0] = 0; p[0] < n; p[0]++) {
		if (sum->kind == GEMP_SUM_VERTICES)
			total += value_of(k, sum->expression);
		for (p[1] = p[0] + 1; sum->kind != GEMP_SUM_VERTICES && p[1] < n; p[1]++) {
			if (!k->edge[p[0]][p[1]])
				continue;
			if (sum->kind == GEMP_SUM_EDGES)
				total += value_of(k, sum->expression);
			for (p[2] = p[1] + 1; sum->kind == GEMP_SUM_TRIANGLES && p[2] < n; p[2]++)
				if (k->edge[p[0]][p[2]] && k->edge[p[1]][p[2]])
					total += value_of(k, sum->expression);
		}
	}
	return total;
}

/* The engine takes over the rows. */
static inline void check_on_host(gemp_resident *rows, const gemp_count_plan *plan, uint64_t expected)
{
	gemp_count_engine *engine = NULL;
	gemp_count_result result;
	assert_all(gemp_host_sums_work(plan, &rows->views[0]) < INFINITY);
	assert_all_ok(gemp_count_prepare_host(&engine, context, rows, plan));
	for (int run = 0; run < 2; run++) {
		assert_all_ok(gemp_count_run(engine, &result));
		assert_all(result.matches == expected && !result.overflow);
	}
	gemp_count_free(engine);
}

/* CHECKS. A constant sum is added to the plan, so that no total is negative. */
static inline void check(const test_graph *m, gemp_count_plan plan)
{
	bool relations[1] = { true };
	gemp_view_key key = { .relations = relations, .direction = GEMP_VIEW_EITHER, .simple = true };
	gemp_count_engine *engine = NULL;
	gemp_count_result result;
	known *k = gemp_calloc(1, sizeof *k);
	__int128 expected = 0;
	gemp_resident *rows = NULL;
	assert_all_ok(
		gemp_resident_get(&rows, context, m->graph, &key, 1, GEMP_REPLICATE_ALL)); /* the engine shares these rows */
	rows->wide |= wide;
	plan.sums[plan.sum_count++] = (gemp_sum){ GEMP_SUM_VERTICES, .factor = 1, .expression = "1000000000000000" };
	plan.divisor = plan.divisor ? plan.divisor : 1;
	assert_all_ok(gemp_count_prepare(&engine, context, m->graph, &key, &plan));
	known_fill(k, m, engine, &plan);
	for (size_t i = 0; i < plan.sum_count; i++)
		expected += plan.sums[i].factor * sum_of(k, &plan.sums[i]);
	for (int run = 0; run < 2; run++) {
		assert_all_ok(gemp_count_run(engine, &result));
		if (result.matches != (uint64_t)expected)
			print_message("%zu vertices: %llu, not %llu\n", m->vertices, (unsigned long long)result.matches,
			              (unsigned long long)expected);
		assert_all(result.matches == (uint64_t)expected && !result.overflow);
	}
	gemp_count_free(engine);
	check_on_host(rows, &plan, (uint64_t)expected);
	gemp_free(k);
}

/* One plan has many sums, because programs take long to build. Different factors keep an error in one sum from
 * cancelling an error in another. */
static const gemp_count_plan
	plan_of_all = { .sum_count = 9,
	                .table_count = 3,
	                .support = true,
	                .tables = { { NULL }, { "V0_1 - 2 * t_01" }, { "V1_1 * V0_0 - (t_01 - 3 * V1_0)" } },
	                .sums = {
						{ GEMP_SUM_VERTICES, .factor = 5 },
						{ GEMP_SUM_VERTICES, .factor = -3, .expression = "V2_0 - V1_0 * V0_0 + V0_0 * (V0_0 - 1)" },
						{ GEMP_SUM_EDGES, .factor = 1000 },
						{ GEMP_SUM_EDGES, .factor = 7,
	                      .expression = "t_01 * t_01 - V0_0 + 3 * V0_1 + V1_0 * V2_1 - V2_0 * V1_1" },
						{ GEMP_SUM_TRIANGLES, .factor = 100000 },
						{ GEMP_SUM_TRIANGLES, .factor = 13,
	                      .expression = "t_01 + 5 * t_02 + 29 * t_12 - V0_0 + 2 * V0_1 - 5 * V1_2 * V0_2" },
						{ GEMP_SUM_TRIANGLES, .factor = 17,
	                      .expression = "low_0 + 3 * low_1 + 7 * low_2 - (up_0 - 11 * up_1) * up_2" },
						{ GEMP_SUM_CLIQUES, .clique = 4, .factor = 10007 },
						{ GEMP_SUM_CLIQUES, .clique = 7, .factor = 1009 },
					} };

static inline void check_all(test_graph *m)
{
	gemp_count_plan plan = plan_of_all;
	if (!context->device->gpu) { /* a GPU makes no tables of ordered edges */
		plan.ordered_support = true;
		plan.tables[plan.table_count++] = (gemp_vertex_table){ "o * u_01 * (V0_1 + u_01) - 2 * o" };
		plan.sums[plan.sum_count++] = (gemp_sum){ GEMP_SUM_VERTICES, .factor = 3, .expression = "V3_0 * V3_0 - V1_0" };
	}
	build(m);
	check(m, plan);
	test_graph_free(m);
}

static inline int open_context(void **state)
{
	gemp_budgets budgets = { 0 };
	(void)state;
	seed = test_seed_all();
	return runtime_with_devices(&context, &test_comm, NULL, &budgets) == GEMP_OK ? 0 : -1;
}

static inline int close_context(void **state)
{
	(void)state;
	gemp_runtime_free(context);
	return gemp_memory_blocks() == 0 ? 0 : -1;
}

#endif
