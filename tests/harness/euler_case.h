/* Small Eulerian multigraphs in the memory of one rank, and an independent check of circuits and paths. */
#ifndef GEMP_TESTS_EULER_CASE_H
#define GEMP_TESTS_EULER_CASE_H

#include "core/random.h"
#include "core/types.h"
#include "euler/euler.h"
#include "harness/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct euler_case {
	char name[96];
	uint32_t n;
	size_t m, room;
	gemp_vertex (*ends)[2]; /* [m] */
	uint64_t *begin, bounds[2];
	gemp_vertex *target;
	gemp_euler_edges edges;
} euler_case;

static inline void euler_add(euler_case *c, gemp_vertex from, gemp_vertex to)
{
	if (c->m == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->ends = realloc(c->ends, c->room * sizeof *c->ends);
	}
	c->ends[c->m][0] = from;
	c->ends[c->m++][1] = to;
}

/* Adds a closed walk of this many steps on the vertices first .. first + count - 1. */
static inline void euler_add_walk(euler_case *c, uint64_t *random, uint32_t first, uint32_t count, size_t steps)
{
	gemp_vertex start = first + (gemp_vertex)gemp_random_below(random, count), at = start;
	for (size_t i = 0; i < steps; i++) {
		gemp_vertex to = i + 1 == steps ? start : first + (gemp_vertex)gemp_random_below(random, count);
		euler_add(c, at, to);
		at = to;
	}
}

/* Makes rows of the edges. A row has its edges in the order in which they were added. */
static inline void euler_rows(euler_case *c)
{
	c->begin = calloc(c->n + 1 + 1, sizeof *c->begin);
	c->target = calloc(c->m + 1, sizeof *c->target);
	for (size_t e = 0; e < c->m; e++)
		c->begin[c->ends[e][0] + 1]++;
	for (uint32_t v = 0; v < c->n; v++)
		c->begin[v + 1] += c->begin[v];
	uint64_t *at = calloc(c->n + 1, sizeof *at);
	for (size_t e = 0; e < c->m; e++)
		c->target[c->begin[c->ends[e][0]] + at[c->ends[e][0]]++] = c->ends[e][1];
	free(at);
	c->bounds[1] = c->n;
	c->edges = (gemp_euler_edges){ .ranks = 1,
		                           .vertices = c->n,
		                           .bounds = c->bounds,
		                           .rows = c->n,
		                           .begin = c->begin,
		                           .target = c->target,
		                           .edges = c->m,
		                           .closing = GEMP_NO_EDGE,
		                           .path_start = GEMP_NO_VERTEX,
		                           .path_end = GEMP_NO_VERTEX };
}

static inline void euler_case_free(euler_case *c)
{
	gemp_euler_edges_free(&c->edges);
	free(c->ends);
	free(c->begin);
	free(c->target);
	*c = (euler_case){ 0 };
}

/* Adds the edges of one of EULER_SHAPES shapes, a few hundred edges times `scale`. */
enum { EULER_SHAPES = 8 };
static inline void euler_case_new(euler_case *c, int shape, uint64_t seed, size_t scale)
{
	uint64_t random = seed;
	*c = (euler_case){ .n = 1 + (uint32_t)gemp_random_below(&random, 60 * scale) };
	snprintf(c->name, sizeof c->name, "shape %d, seed %llu, scale %zu", shape, (unsigned long long)seed, scale);
	size_t m = (size_t)gemp_random_below(&random, 400 * scale);
	if (shape == 0) { /* one walk */
		euler_add_walk(c, &random, 0, c->n, m);
	} else if (shape == 1) { /* many short walks */
		while (c->m < m)
			euler_add_walk(c, &random, 0, c->n, 1 + (size_t)gemp_random_below(&random, 4));
	} else if (shape == 2) { /* a star */
		for (size_t i = 0; i < m / 2; i++) {
			gemp_vertex leaf = (gemp_vertex)(i % c->n);
			euler_add(c, 0, leaf);
			euler_add(c, leaf, 0);
		}
	} else if (shape == 3) { /* self-loops at few vertices, which a ring connects */
		c->n = 1 + c->n % 5;
		for (uint32_t v = 0; v < c->n; v++)
			euler_add(c, v, (v + 1) % c->n);
		for (size_t i = 0; i < m; i++) {
			gemp_vertex v = (gemp_vertex)gemp_random_below(&random, c->n);
			euler_add(c, v, v);
		}
	} else if (shape == 4) { /* two walks that may lie in different components */
		uint32_t half = (c->n + 1) / 2;
		euler_add_walk(c, &random, 0, half, m / 2);
		euler_add_walk(c, &random, c->n / 2, half, m / 2);
	} else if (shape == 5) { /* a ring of rings */
		uint32_t size = 1 + (uint32_t)gemp_random_below(&random, 6), rings = 1 + (uint32_t)(m / size / 2);
		c->n = rings * size;
		for (uint32_t r = 0; r < rings; r++)
			for (uint32_t i = 0; i < size; i++)
				euler_add(c, r * size + i, r * size + (i + 1) % size);
		for (uint32_t r = 0; r < rings; r++)
			euler_add(c, r * size, (r + 1) % rings * size);
	} else if (shape == 6) { /* parallel edges in both directions */
		for (size_t i = 0; i < m / 8; i++)
			for (gemp_vertex k = 0, v = (gemp_vertex)gemp_random_below(&random, c->n); k < 4; k++) {
				euler_add(c, v, (v + 1) % c->n);
				euler_add(c, (v + 1) % c->n, v);
			}
	} else { /* a band: edges lead only a few vertices ahead */
		for (int k = 0; k < 4; k++)
			for (uint32_t v = 0, ahead = 1 + (uint32_t)gemp_random_below(&random, 9); v < c->n; v++)
				euler_add(c, v, (v + ahead) % c->n);
	}
	euler_rows(c);
}

/* Counts the components with edges, without code of the engines. */
static inline size_t euler_components(const euler_case *c)
{
	size_t count = 0;
	uint32_t *parent = calloc(c->n + 1, sizeof *parent);
	bool *used = calloc(c->n + 1, sizeof *used);
	for (uint32_t v = 0; v < c->n; v++)
		parent[v] = v;
	for (size_t e = 0; e < c->m; e++) {
		uint32_t x = c->ends[e][0], y = c->ends[e][1];
		used[x] = used[y] = true;
		while (parent[x] != x)
			x = parent[x] = parent[parent[x]];
		while (parent[y] != y)
			y = parent[y] = parent[parent[y]];
		parent[x] = y;
	}
	for (uint32_t v = 0; v < c->n; v++)
		count += used[v] && parent[v] == v;
	free(parent);
	free(used);
	return count;
}

/* Checks that each edge occurs once and begins where the edge before it ends, and that the circuit closes. A path must
 * lead from path_start to path_end. */
static inline void euler_check_order(const euler_case *c, const gemp_euler_order *order)
{
	const gemp_euler_edges *edges = &c->edges;
	bool path = edges->closing != GEMP_NO_EDGE, *seen = calloc(edges->edges + 1, 1);
	if (order->count != edges->edges - path || order->edges != order->count || order->first != 0)
		fail_msg("%s: %zu places, not %llu", c->name, order->count, (unsigned long long)(edges->edges - path));
	for (size_t i = 0; i < order->count; i++) {
		gemp_edge e = order->edge[i];
		if (e >= edges->edges || seen[e] || e == edges->closing)
			fail_msg("%s: place %zu has slot %llu", c->name, i, (unsigned long long)e);
		seen[e] = true;
		gemp_vertex from = gemp_euler_source(edges, e);
		gemp_edge before = order->edge[i ? i - 1 : order->count - 1];
		if (path && i == 0 ? from != edges->path_start : edges->target[before] != from)
			fail_msg("%s: place %zu does not begin where the one before ends", c->name, i);
		if (order->source && order->source[i] != from)
			fail_msg("%s: place %zu begins at %u, not %u", c->name, i, from, order->source[i]);
	}
	if (path && order->count)
		assert_int_equal(edges->target[order->edge[order->count - 1]], edges->path_end);
	free(seen);
}

/* Checks the result of an engine. */
static inline void euler_check_result(const euler_case *c, const gemp_euler_result *result)
{
	size_t components = euler_components(c);
	assert_int_equal(result->unbalanced, 0);
	if (result->components != components)
		fail_msg("%s: %llu components, not %zu", c->name, (unsigned long long)result->components, components);
	if (components == 1)
		euler_check_order(c, &result->order);
	else
		assert_int_equal(result->order.count, 0);
}

#endif
