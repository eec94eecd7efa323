/* Small graphs on the device in the layout that wedge counting reads, and a reference that computes the sums by going
 * through all triples of vertices. */
#ifndef GEMP_TESTS_COUNT_WEDGES_CASE_H
#define GEMP_TESTS_COUNT_WEDGES_CASE_H

#include "comm/comm.h"
#include "core/types.h"
#include "count/device_graph.h"
#include "count/plan.h"
#include "device/device.h"
#include "partition/runtime.h"

#include "harness/harness.h"
#include "harness/runtime.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdlib.h>
#include <string.h>

static gemp_comm comm;
static gemp_runtime *context;
static uint64_t seed;

static int setup(void **state)
{
	(void)state;
	seed = test_seed();
	gemp_comm_new(&comm, MPI_COMM_WORLD);
	assert_ok(runtime_with_devices(&context, &comm, NULL, &(gemp_budgets){ 0 }));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_runtime_free(context);
	gemp_comm_free(&comm);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

enum { WEDGES_TABLES = 2 };

/* A graph whose vertices are numbered by descending degree, as slots are. */
typedef struct wedges_case {
	gemp_count_graph graph;
	uint32_t n;
	uint8_t *joined;     /* [n * n] */
	uint32_t *triangles; /* [n * n] number of triangles that contain the edge */
	uint64_t *begin, *mid, *table[WEDGES_TABLES];
	gemp_vertex *neighbours;
} wedges_case;

static inline bool case_joined(const wedges_case *c, uint32_t u, uint32_t v)
{
	return c->joined[(size_t)u * c->n + v];
}

static inline void *case_new(size_t count, size_t size)
{
	void *block = gemp_calloc(count + 1, size);
	assert_non_null(block);
	return block;
}

static inline uint32_t case_degree(const uint8_t *joined, uint32_t n, uint32_t v)
{
	uint32_t degree = 0;
	for (uint32_t u = 0; u < n; u++)
		degree += joined[(size_t)v * n + u];
	return degree;
}

/* Renumbers the vertices by descending degree. */
static inline void case_sort(wedges_case *c, const uint8_t *joined)
{
	uint32_t n = c->n, *order = case_new(n, sizeof *order), *degree = case_new(n, sizeof *degree);
	for (uint32_t v = 0; v < n; v++) {
		uint32_t at = v;
		degree[v] = case_degree(joined, n, v);
		for (; at > 0 && degree[order[at - 1]] < degree[v]; at--)
			order[at] = order[at - 1];
		order[at] = v;
	}
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			c->joined[(size_t)u * n + v] = joined[(size_t)order[u] * n + order[v]];
	gemp_free(degree);
	gemp_free(order);
}

static inline void case_rows(wedges_case *c)
{
	uint32_t n = c->n;
	uint64_t entries = 0;
	c->begin = case_new(n + 1u, sizeof *c->begin);
	c->mid = case_new(n, sizeof *c->mid);
	c->neighbours = case_new((size_t)n * n, sizeof *c->neighbours);
	for (uint32_t v = 0; v < n; v++) {
		c->begin[v] = entries;
		for (uint32_t u = 0; u < n; u++) {
			if (u == v)
				c->mid[v] = entries;
			if (case_joined(c, v, u))
				c->neighbours[entries++] = u;
		}
		if (entries - c->begin[v] > c->graph.max_degree)
			c->graph.max_degree = (uint32_t)(entries - c->begin[v]);
	}
	c->begin[n] = entries;
	c->graph.entries = entries;
}

static inline void case_triangles(wedges_case *c)
{
	uint32_t n = c->n;
	c->triangles = case_new((size_t)n * n, sizeof *c->triangles);
	for (uint32_t u = 0; u < n; u++)
		for (uint32_t v = 0; v < n; v++)
			for (uint32_t x = 0; x < n && case_joined(c, u, v); x++)
				c->triangles[(size_t)u * n + v] += case_joined(c, u, x) && case_joined(c, x, v);
}

static inline void case_upload_offsets(wedges_case *c, gemp_buffer *buffer, const uint64_t *offsets, size_t count)
{
	uint32_t *narrow = case_new(count, sizeof *narrow);
	for (size_t i = 0; i < count; i++)
		narrow[i] = (uint32_t)offsets[i];
	const void *from = c->graph.wide ? (const void *)offsets : narrow;
	size_t size = c->graph.wide ? sizeof *offsets : sizeof *narrow;
	assert_ok(gemp_buffer_new(buffer, c->graph.context->device, count * size, from));
	gemp_free(narrow);
}

static inline void case_upload(wedges_case *c, uint64_t *seed)
{
	gemp_device *device = c->graph.context->device;
	uint32_t n = c->n, *support = case_new(c->graph.entries, sizeof *support);
	case_upload_offsets(c, &c->graph.row_offsets, c->begin, n + 1u);
	case_upload_offsets(c, &c->graph.upper_offsets, c->mid, n);
	for (uint32_t v = 0; v < n; v++)
		for (uint64_t e = c->begin[v]; e < c->begin[v + 1]; e++)
			support[e] = c->triangles[(size_t)v * n + c->neighbours[e]];
	assert_ok(gemp_buffer_new(&c->graph.column_indices, device, (c->graph.entries + 1) * sizeof *c->neighbours,
	                          c->neighbours));
	assert_ok(gemp_buffer_new(&c->graph.support, device, (c->graph.entries + 1) * sizeof *support, support));
	for (size_t k = 0; k < WEDGES_TABLES; k++) {
		c->table[k] = case_new(n, sizeof *c->table[k]);
		for (uint32_t v = 0; v < n; v++)
			c->table[k][v] = k == 0 ? c->begin[v + 1] - c->begin[v] : gemp_random_below(seed, 1000);
		c->graph.table_bound[k] = 1000 + n;
		assert_ok(gemp_buffer_new(&c->graph.tables[k], device, (n + 1u) * sizeof *c->table[k], c->table[k]));
	}
	gemp_free(support);
}

/* joined: [n * n], symmetric, without loops. wide: offsets have 64 bits, as in a graph with more than 2^32 entries. */
static inline void case_make(wedges_case *c, gemp_runtime *context, uint32_t n, const uint8_t *joined, bool wide,
                             uint64_t *seed)
{
	*c = (wedges_case){ .n = n };
	c->joined = case_new((size_t)n * n, 1);
	c->graph = (gemp_count_graph){ .context = context, .vertices = n, .wide = wide };
	case_sort(c, joined);
	case_rows(c);
	case_triangles(c);
	case_upload(c, seed);
	c->graph.host_offsets = c->begin;
	c->graph.host_upper_offsets = c->mid;
}

static inline void case_free(wedges_case *c)
{
	gemp_device *device = c->graph.context->device;
	for (size_t k = 0; k < WEDGES_TABLES; k++) {
		gemp_buffer_free(&c->graph.tables[k], device);
		gemp_free(c->table[k]);
	}
	gemp_buffer_free(&c->graph.support, device);
	gemp_buffer_free(&c->graph.column_indices, device);
	gemp_buffer_free(&c->graph.upper_offsets, device);
	gemp_buffer_free(&c->graph.row_offsets, device);
	gemp_free(c->neighbours);
	gemp_free(c->mid);
	gemp_free(c->begin);
	gemp_free(c->triangles);
	gemp_free(c->joined);
}

/* The variables of expressions. Each trial has its expression twice: as text for the device and as a function for the
 * reference. */
typedef struct wedges_values {
	int64_t c, a, t_01, t_12, V0_0, V0_1, V0_2, V1_0, V1_1, V1_2;
} wedges_values;

typedef struct wedges_trial {
	gemp_sum_kind kind;
	const char *expression;
	int64_t (*value)(const wedges_values *v);
} wedges_trial;

static inline int64_t case_value(const wedges_case *c, const wedges_trial *trial, uint32_t r, uint32_t x, uint32_t w,
                                 int64_t common)
{
	wedges_values v = { .c = common,
		                .a = case_joined(c, r, w),
		                .t_01 = c->triangles[(size_t)r * c->n + x],
		                .t_12 = c->triangles[(size_t)x * c->n + w],
		                .V0_0 = (int64_t)c->table[0][r],
		                .V0_1 = (int64_t)c->table[0][x],
		                .V0_2 = (int64_t)c->table[0][w],
		                .V1_0 = (int64_t)c->table[1][r],
		                .V1_1 = (int64_t)c->table[1][x],
		                .V1_2 = (int64_t)c->table[1][w] };
	return trial->value ? trial->value(&v) : 1;
}

/* Counts the common neighbours of r and w from slot `least` on. */
static inline int64_t case_common(const wedges_case *c, uint32_t r, uint32_t w, uint32_t least)
{
	int64_t common = 0;
	for (uint32_t x = least; x < c->n; x++)
		common += case_joined(c, r, x) && case_joined(c, x, w);
	return common;
}

static inline __int128 case_joined_sum(const wedges_case *c)
{
	__int128 total = 0;
	int64_t *common = case_new(c->n, sizeof *common);
	for (uint32_t r = 0; r < c->n; r++) {
		for (uint32_t w = r + 1; w < c->n; w++)
			common[w] = case_common(c, r, w, r + 1);
		for (uint32_t w = r + 1; w < c->n; w++)
			for (uint32_t y = w + 1; y < c->n; y++)
				if (case_joined(c, w, y))
					total += common[w] * common[y];
	}
	gemp_free(common);
	return total;
}

/* Counts unordered pairs of paths r-a-b-y with a and b after r and a <> y. Pairs of paths that share a or that share b
 * are not counted. */
static inline __int128 case_pairs_of_paths(const wedges_case *c, uint32_t r, uint32_t y, int64_t *over)
{
	__int128 paths = 0, less = 0;
	memset(over, 0, c->n * sizeof *over);
	for (uint32_t a = r + 1; a < c->n; a++) {
		int64_t by_a = 0;
		for (uint32_t b = r + 1; b < c->n && a != y && case_joined(c, r, a); b++)
			if (case_joined(c, a, b) && case_joined(c, b, y)) {
				by_a++;
				over[b]++;
			}
		paths += by_a;
		less += by_a * (by_a - 1) / 2;
	}
	for (uint32_t b = 0; b < c->n; b++)
		less += over[b] * (over[b] - 1) / 2;
	return paths * (paths - 1) / 2 - less;
}

static inline __int128 case_path_pairs_sum(const wedges_case *c)
{
	__int128 total = 0;
	int64_t *over = case_new(c->n, sizeof *over);
	for (uint32_t r = 0; r < c->n; r++)
		for (uint32_t y = r + 1; y < c->n; y++)
			total += case_pairs_of_paths(c, r, y, over);
	gemp_free(over);
	return total;
}

static inline __int128 case_expected(const wedges_case *c, const wedges_trial *trial)
{
	__int128 total = 0;
	if (trial->kind == GEMP_SUM_JOINED)
		return case_joined_sum(c);
	if (trial->kind == GEMP_SUM_PATH_PAIRS)
		return case_path_pairs_sum(c);
	for (uint32_t r = 0; r < c->n; r++)
		for (uint32_t w = r + 1; w < c->n; w++) {
			int64_t common = case_common(c, r, w, trial->kind == GEMP_SUM_PAIRS ? 0 : r + 1);
			if (common && trial->kind == GEMP_SUM_PAIRS)
				total += case_value(c, trial, r, r, w, common);
			for (uint32_t x = r + 1; x < c->n && trial->kind == GEMP_SUM_WEDGES; x++)
				if (case_joined(c, r, x) && case_joined(c, x, w))
					total += case_value(c, trial, r, x, w, common);
		}
	return total;
}

#endif
