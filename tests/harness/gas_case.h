/* gas_case: small random graphs in memory, which are the same on every number of ranks. Simple serial code computes
 * answers to compare with from a list of arcs: levels, Dijkstra's distances, PageRank and sums in double precision.
 * This code shares nothing with the engines.
 *
 * Vertices have numbers 0 .. n - 1 in the order of their keys. Arrays of the reference are indexed by these numbers. */
#ifndef GEMP_TESTS_GAS_CASE_H
#define GEMP_TESTS_GAS_CASE_H

#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"
#include "graph/graph.h"
#include "harness/harness.h"
#include "partition/build/builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GAS_CASE_TYPES = 3 };

typedef struct gas_edge {
	uint32_t from, to, type;
	int64_t weight; /* attribute `weight`: an integer of at least 0 */
	double cost;    /* attribute `cost`: a float of at least 0 */
} gas_edge;

/* An arc is an edge in one direction. An undirected edge is two arcs, and an undirected self-loop is one arc. */
typedef struct gas_arc {
	uint32_t from, to;
	int64_t weight;
	double cost;
} gas_arc;

typedef struct gas_case {
	char name[96];
	uint32_t n;
	size_t m, room;
	gas_edge *edges;
	bool undirected[GAS_CASE_TYPES];
	const gemp_comm *comm;
	gemp_shard *graph;
	uint32_t *number; /* [n] number of a vertex by its id */
} gas_case;

static inline void gas_case_edge(gas_case *c, uint64_t *random, uint64_t from, uint64_t to)
{
	if (c->m == c->room)
		c->edges = realloc(c->edges, (c->room = c->room ? 2 * c->room : 64) * sizeof *c->edges);
	int64_t most = gemp_random_below(random, 3) ? 10 : 3;
	c->edges[c->m++] = (gas_edge){ (uint32_t)from, (uint32_t)to, (uint32_t)gemp_random_below(random, GAS_CASE_TYPES),
		                           (int64_t)gemp_random_below(random, (uint64_t)most),
		                           gemp_random_below(random, 5) ? gemp_random_unit(random) * 4 : 0.0 };
}

static inline int64_t gas_case_key(uint32_t number)
{
	return 7 * (int64_t)number - 20;
}

/* Collective. Makes a graph of the edges that were added. Each rank passes every size-th edge to the builder; the
 * result does not depend on this distribution. */
static inline gemp_code gas_case_build(gas_case *c, const gemp_comm *comm, uint64_t seed)
{
	gemp_code code = GEMP_OK;
	gemp_builder_options options = { .seed = seed };
	gemp_builder *builder = NULL;
	size_t weight, cost, *begin = NULL;
	gemp_place place = { 0 };
	void *all = NULL;
	uint32_t *own = NULL;
	c->comm = comm;
	GEMP_TRY_DONE(gemp_builder_new(&builder, comm, &options));
	GEMP_TRY_DONE(gemp_builder_edge_column(builder, "weight", GEMP_INTEGER, &weight));
	GEMP_TRY_DONE(gemp_builder_edge_column(builder, "cost", GEMP_FLOAT, &cost));
	for (uint32_t v = (uint32_t)comm->rank; v < c->n; v += (uint32_t)comm->size)
		GEMP_TRY_DONE(gemp_builder_vertex(builder, &(gemp_value){ .type = GEMP_INTEGER, .integer = gas_case_key(v) },
		                                  "", 0, place));
	for (size_t i = (size_t)comm->rank; i < c->m; i += (size_t)comm->size) {
		const gas_edge *e = &c->edges[i];
		char type[2] = { (char)('A' + (int)e->type), 0 };
		GEMP_TRY_DONE(
			gemp_builder_edge(builder, &(gemp_value){ .type = GEMP_INTEGER, .integer = gas_case_key(e->from) },
		                      &(gemp_value){ .type = GEMP_INTEGER, .integer = gas_case_key(e->to) }, type, 1, place));
		GEMP_TRY_DONE(
			gemp_builder_edge_value(builder, weight, &(gemp_value){ .type = GEMP_INTEGER, .integer = e->weight }));
		GEMP_TRY_DONE(gemp_builder_edge_value(builder, cost, &(gemp_value){ .type = GEMP_FLOAT, .real = e->cost }));
	}
	GEMP_TRY_DONE(gemp_builder_finish(builder, &c->graph));
	for (size_t k = 0; k < c->graph->relation_count; k++)
		c->graph->relations[k].directed = !c->undirected[c->graph->relations[k].name[0] - 'A'];
	GEMP_TRY_DONE(GEMP_NEW(own, c->graph->rows));
	for (size_t row = 0; row < c->graph->rows; row++)
		own[row] = (uint32_t)((c->graph->keys.integers[row] + 20) / 7);
	GEMP_TRY_DONE(gemp_comm_allgather(comm, GEMP_OK, own, c->graph->rows * sizeof *own, &all, &begin));
	c->number = all;
done:
	gemp_free(own);
	gemp_free(begin);
	gemp_builder_free(builder);
	return code;
}

static inline void gas_case_free(gas_case *c)
{
	gemp_shard_free(c->graph);
	gemp_free(c->number);
	free(c->edges);
	*c = (gas_case){ 0 };
}

/* Collective. Makes a graph of one shape: 0 no edges, 1 sparse, 2 dense with parallel edges and self-loops, 3 a star, 4
 * a path with some shortcuts, 5 skewed degrees, 6 two halves without an edge between them, 7 one vertex with
 * self-loops. A graph has up to a few hundred edges times `scale`. */
enum { GAS_SHAPES = 8 };
static inline gemp_code gas_case_new(gas_case *c, const gemp_comm *comm, int shape, uint64_t seed, uint32_t scale)
{
	uint64_t random = seed, *r = &random;
	*c = (gas_case){ .n = 1 + (uint32_t)gemp_random_below(r, 60 * scale) };
	snprintf(c->name, sizeof c->name, "shape %d, seed %llu, scale %u", shape, (unsigned long long)seed, scale);
	for (int k = 0; k < GAS_CASE_TYPES; k++)
		c->undirected[k] = seed % 3 == 0 || (seed % 3 == 1 && gemp_random_below(r, 2));
	uint64_t m = gemp_random_below(r, 150 * scale), half = (c->n + 1) / 2;
	if (shape == 0)
		m = 0;
	if (shape == 2)
		c->n = 1 + c->n / 8;
	if (shape == 4)
		m = m / 16;
	if (shape == 7)
		c->n = 1;
	for (uint32_t v = 0; shape == 4 && v + 1 < c->n; v++)
		gas_case_edge(c, r, v, v + 1);
	for (uint64_t i = 0; i < m; i++) {
		uint64_t from = gemp_random_below(r, c->n), to = gemp_random_below(r, c->n);
		if (shape == 3) {
			*(gemp_random_below(r, 2) ? &from : &to) = c->n / 2;
		} else if (shape == 5) {
			from = gemp_random_below(r, from + 1);
			to = gemp_random_below(r, gemp_random_below(r, to + 1) + 1);
		} else if (shape == 6 && half < c->n) {
			to = from < half ? to % half : half + to % (c->n - half);
		}
		gas_case_edge(c, r, from, to);
	}
	return gas_case_build(c, comm, seed % 5 + 1);
}

/* Returns the arcs of the edges. chosen[k] selects the type 'A' + k; NULL selects all types. The caller frees the arcs
 * with free. */
static inline gas_arc *gas_case_arcs(const gas_case *c, const bool *chosen, gemp_edge_direction direction,
                                     size_t *count)
{
	gas_arc *arcs = malloc((2 * c->m + 1) * sizeof *arcs);
	*count = 0;
	for (size_t i = 0; i < c->m; i++) {
		const gas_edge *e = &c->edges[i];
		bool both = c->undirected[e->type] || direction == GEMP_EITHER_WAY;
		if (chosen && !chosen[e->type])
			continue;
		if (both || direction == GEMP_ALONG)
			arcs[(*count)++] = (gas_arc){ e->from, e->to, e->weight, e->cost };
		if (direction == GEMP_AGAINST || both)
			if (!(both && e->from == e->to))
				arcs[(*count)++] = (gas_arc){ e->to, e->from, e->weight, e->cost };
	}
	return arcs;
}

/* Sets relations[graph->relation_count] of a layout to the chosen types. The graph has no relation for a type without
 * edges. */
static inline void gas_case_relations(const gas_case *c, const bool *chosen, bool *relations)
{
	for (size_t k = 0; k < c->graph->relation_count; k++)
		relations[k] = chosen[c->graph->relations[k].name[0] - 'A'];
}

/* Collective. Gathers the values of all vertices into one array by number. `own` has the values of a rank's own
 * vertices by local vertex. The caller frees the array with free. */
static inline void *gas_case_all(const gas_case *c, const gemp_layout *layout, const void *own, size_t size)
{
	char *rows = gemp_calloc(layout->own, size), *all = malloc(c->n * size + 1);
	void *gathered = NULL;
	size_t *begin = NULL;
	for (uint32_t v = 0; v < layout->own; v++)
		memcpy(rows + (layout->id[v] - c->graph->first_vertex) * size, (const char *)own + v * size, size);
	if (gemp_comm_allgather(c->comm, GEMP_OK, rows, layout->own * size, &gathered, &begin) != GEMP_OK)
		abort();
	for (uint32_t id = 0; id < c->n; id++)
		memcpy(all + c->number[id] * size, (const char *)gathered + id * size, size);
	gemp_free(rows);
	gemp_free(gathered);
	gemp_free(begin);
	return all;
}

/* Returns the local vertex of a number, or GEMP_NO_VERTEX on a rank that does not own it. */
static inline uint32_t gas_case_local(const gas_case *c, const gemp_layout *layout, uint32_t number)
{
	for (uint32_t v = 0; v < layout->own; v++)
		if (c->number[layout->id[v]] == number)
			return v;
	return GEMP_NO_VERTEX;
}

/* REFERENCE. Writes level[n]; UINT32_MAX for an unreached vertex. */
static inline void gas_reference_levels(const gas_case *c, const gas_arc *arcs, size_t count, uint32_t source,
                                        uint32_t *level)
{
	for (uint32_t v = 0; v < c->n; v++)
		level[v] = v == source ? 0 : UINT32_MAX;
	bool changed = true;
	for (uint32_t l = 0; changed; l++) {
		changed = false;
		for (size_t i = 0; i < count; i++)
			if (level[arcs[i].from] == l && level[arcs[i].to] == UINT32_MAX) {
				level[arcs[i].to] = l + 1;
				changed = true;
			}
	}
}

/* Dijkstra's algorithm without a heap, with weights (exact) or costs. Writes distance[n]; INFINITY for an unreached
 * vertex. */
static inline void gas_reference_distances(const gas_case *c, const gas_arc *arcs, size_t count, bool costs,
                                           uint32_t source, double *distance)
{
	bool *done = calloc(c->n + 1, 1);
	for (uint32_t v = 0; v < c->n; v++)
		distance[v] = v == source ? 0 : INFINITY;
	for (;;) {
		uint32_t next = c->n;
		for (uint32_t v = 0; v < c->n; v++)
			if (!done[v] && distance[v] < INFINITY && (next == c->n || distance[v] < distance[next]))
				next = v;
		if (next == c->n)
			break;
		done[next] = true;
		for (size_t i = 0; i < count; i++) {
			double through = distance[next] + (costs ? arcs[i].cost : (double)arcs[i].weight);
			if (arcs[i].from == next && through < distance[arcs[i].to])
				distance[arcs[i].to] = through;
		}
	}
	free(done);
}

/* Writes rank[n] after this many iterations that start from the teleport vector, whose sum is 1. If it is NULL, each
 * vertex has 1 / n. The rank of a vertex without arcs is distributed like teleports. */
static inline void gas_reference_pagerank(const gas_case *c, const gas_arc *arcs, size_t count, double damping,
                                          const double *teleport, int iterations, double *rank)
{
	double *next = malloc((c->n + 1) * sizeof *next), *degree = calloc(c->n + 1, sizeof *degree);
	for (size_t i = 0; i < count; i++)
		degree[arcs[i].from]++;
	for (uint32_t v = 0; v < c->n; v++)
		rank[v] = teleport ? teleport[v] : 1.0 / c->n;
	for (int k = 0; k < iterations; k++) {
		double dangling = 0;
		for (uint32_t v = 0; v < c->n; v++)
			dangling += degree[v] > 0 ? 0 : rank[v];
		for (uint32_t v = 0; v < c->n; v++)
			next[v] = (1 - damping + damping * dangling) * (teleport ? teleport[v] : 1.0 / c->n);
		for (size_t i = 0; i < count; i++)
			next[arcs[i].to] += damping * rank[arcs[i].from] / degree[arcs[i].from];
		memcpy(rank, next, c->n * sizeof *next);
	}
	free(next);
	free(degree);
}

/* Writes y[i] = sum of A[i][j] x[j], where A[i][j] is the sum of the values of the arcs i -> j, or of j -> i if
 * transposed. kind: 0 for ones, 1 for weights, 2 for costs. */
static inline void gas_reference_multiply(const gas_case *c, const gas_arc *arcs, size_t count, int kind,
                                          bool transposed, const double *x, double *y)
{
	for (uint32_t v = 0; v < c->n; v++)
		y[v] = 0;
	for (size_t i = 0; i < count; i++) {
		double weight = kind == 0 ? 1 : kind == 1 ? (double)arcs[i].weight : arcs[i].cost;
		uint32_t row = transposed ? arcs[i].to : arcs[i].from, column = transposed ? arcs[i].from : arcs[i].to;
		y[row] += weight * x[column];
	}
}

#endif
