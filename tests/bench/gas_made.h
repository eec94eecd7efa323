/* gas_made: layouts of one rank (src/analytics/layout/layout.h) that are made from lists of edges without a graph file,
 * and random graphs for them. A vertex's key is its number. Key ranks are mixed, so they follow neither the keys nor
 * the local numbers. */
#ifndef GEMP_TESTS_GAS_MADE_H
#define GEMP_TESTS_GAS_MADE_H

#include "analytics/layout/layout.h"
#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "graph/graph.h"

#include <stdlib.h>
#include <string.h>

typedef struct gas_edges {
	uint32_t vertices;
	bool directed; /* if false, each edge leads in both directions */
	size_t count;
	uint32_t *source, *target;
	double *weight; /* [count]; NULL: no weights */
} gas_edges;

typedef struct gas_case {
	gas_edges edges;
	gemp_shard graph;
	gemp_comm comm;
	gemp_layout layout;
} gas_case;

static inline gas_edges gas_edges_new(uint32_t vertices, size_t count, bool directed, bool weighted)
{
	gas_edges e = { vertices, directed, count, NULL, NULL, NULL };
	e.source = gemp_calloc(count, sizeof *e.source);
	e.target = gemp_calloc(count, sizeof *e.target);
	e.weight = weighted ? gemp_calloc(count, sizeof *e.weight) : NULL;
	return e;
}

/* Ends are drawn independently, so self-loops and parallel edges occur. */
static inline gas_edges gas_uniform(uint32_t vertices, size_t count, bool directed, uint64_t greatest, uint64_t seed)
{
	gas_edges e = gas_edges_new(vertices, count, directed, true);
	for (size_t i = 0; i < count; i++) {
		e.source[i] = (uint32_t)gemp_random_below(&seed, vertices);
		e.target[i] = (uint32_t)gemp_random_below(&seed, vertices);
		e.weight[i] = (double)gemp_random_below(&seed, greatest + 1);
	}
	return e;
}

/* A Kronecker graph with a = 0.57 and b = c = 0.19. */
static inline gas_edges gas_kronecker(unsigned scale, size_t count, bool directed, uint64_t greatest, uint64_t seed)
{
	gas_edges e = gas_edges_new(1u << scale, count, directed, true);
	for (size_t i = 0; i < count; i++) {
		for (unsigned bit = 0; bit < scale; bit++) {
			uint32_t r = (uint32_t)(gemp_random(&seed) >> 40), all = 1u << 24;
			bool right = r >= all / 100 * 57 && (r < all / 100 * 76 || r >= all / 100 * 95);
			bool down = r >= all / 100 * 76;
			e.source[i] |= (uint32_t)down << bit;
			e.target[i] |= (uint32_t)right << bit;
		}
		e.weight[i] = (double)gemp_random_below(&seed, greatest + 1);
	}
	return e;
}

typedef struct gas_arc {
	uint32_t row, end;
	double weight;
} gas_arc;

static inline int gas_compare_arcs(const void *a, const void *b)
{
	const gas_arc *x = a, *y = b;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x->weight > y->weight) - (x->weight < y->weight);
}

/* Sorts by row, within a row by end, and parallel edges by weight. Returns `arcs`. */
static inline gas_arc *gas_sort_arcs(gas_arc *arcs, size_t count, uint32_t vertices)
{
	gas_arc *other = gemp_calloc(count, sizeof *other);
	size_t *at = gemp_calloc((size_t)vertices + 1, sizeof *at);
	for (int by = 0; by < 2; by++) {
		memset(at, 0, ((size_t)vertices + 1) * sizeof *at);
		for (size_t i = 0; i < count; i++)
			at[(by ? arcs[i].row : arcs[i].end) + 1]++;
		for (uint32_t v = 0; v < vertices; v++)
			at[v + 1] += at[v];
		for (size_t i = 0; i < count; i++)
			other[at[by ? arcs[i].row : arcs[i].end]++] = arcs[i];
		gas_arc *swap = arcs;
		arcs = other;
		other = swap;
	}
	gemp_free(other);
	gemp_free(at);
	for (size_t i = 0, end; i < count; i = end) { /* sorts parallel edges by weight */
		for (end = i + 1; end < count && arcs[end].row == arcs[i].row && arcs[end].end == arcs[i].end; end++)
			;
		if (end - i > 1)
			qsort(arcs + i, end - i, sizeof *arcs, gas_compare_arcs);
	}
	return arcs;
}

static inline void gas_set_weight(void *weights, gemp_layout_weights kind, size_t i, double weight)
{
	switch (kind) {
	case GEMP_LAYOUT_U8: ((uint8_t *)weights)[i] = (uint8_t)weight; break;
	case GEMP_LAYOUT_U32: ((uint32_t *)weights)[i] = (uint32_t)weight; break;
	case GEMP_LAYOUT_U64: ((uint64_t *)weights)[i] = weight >= 0x1p64 ? UINT64_MAX : (uint64_t)weight; break;
	case GEMP_LAYOUT_F32: ((float *)weights)[i] = (float)weight; break;
	case GEMP_LAYOUT_F64: ((double *)weights)[i] = weight; break;
	default: break;
	}
}

/* local[v]: the local number of vertex v. */
static inline gemp_layout_rows gas_make_rows(const gas_edges *e, const uint32_t *local, bool by_target,
                                             gemp_layout_weights kind)
{
	size_t count = 0;
	gas_arc *arcs = gemp_calloc(2 * e->count, sizeof *arcs);
	for (size_t i = 0; i < e->count; i++) {
		uint32_t s = local[e->source[i]], t = local[e->target[i]];
		double weight = e->weight ? e->weight[i] : 0;
		arcs[count++] = by_target ? (gas_arc){ t, s, weight } : (gas_arc){ s, t, weight };
		if (!e->directed && s != t)
			arcs[count++] = by_target ? (gas_arc){ s, t, weight } : (gas_arc){ t, s, weight };
	}
	arcs = gas_sort_arcs(arcs, count, e->vertices);
	gemp_layout_rows rows = { e->vertices, gemp_calloc((size_t)e->vertices + 1, sizeof *rows.begin),
		                      gemp_calloc(count, sizeof *rows.end), NULL };
	if (kind)
		rows.weight = gemp_calloc(count, gemp_layout_weight_size(kind));
	for (size_t i = 0; i < count; i++) {
		rows.begin[arcs[i].row + 1]++;
		rows.end[i] = arcs[i].end;
		gas_set_weight(rows.weight, kind, i, arcs[i].weight);
	}
	for (uint32_t v = 0; v < e->vertices; v++)
		rows.begin[v + 1] += rows.begin[v];
	gemp_free(arcs);
	return rows;
}

/* Numbers the vertices by descending degree. Degrees must be below 2^32. */
static inline void gas_order(const gas_edges *e, uint32_t *local)
{
	uint32_t *degree = gemp_calloc(e->vertices, sizeof *degree), next = 0;
	for (size_t i = 0; i < e->count; i++) {
		degree[e->source[i]]++;
		degree[e->target[i]]++;
	}
	uint32_t greatest = 0;
	for (uint32_t v = 0; v < e->vertices; v++)
		greatest = degree[v] > greatest ? degree[v] : greatest;
	uint32_t *at = gemp_calloc((size_t)greatest + 2, sizeof *at);
	for (uint32_t v = 0; v < e->vertices; v++)
		at[degree[v]]++;
	for (uint32_t d = greatest + 1; d-- > 0;) {
		uint32_t count = at[d];
		at[d] = next;
		next += count;
	}
	for (uint32_t v = 0; v < e->vertices; v++)
		local[v] = at[degree[v]]++;
	gemp_free(at);
	gemp_free(degree);
}

/* Takes ownership of the edges. world: a communicator of this process only. */
static inline void gas_case_make(gas_case *c, MPI_Comm world, gas_edges edges, gemp_layout_weights weights)
{
	gemp_layout *l = &c->layout;
	uint32_t n = edges.vertices, stride = 1;
	*c = (gas_case){ .edges = edges };
	gemp_comm_new(&c->comm, world);
	c->graph = (gemp_shard){ .ranks = 1, .vertex_count = n, .rows = n };
	*l = (gemp_layout){ .comm = &c->comm,
		                .graph = &c->graph,
		                .symmetric = !edges.directed,
		                .vertices = n,
		                .own = n,
		                .known = n,
		                .weights = weights };
	l->local = gemp_calloc(n, sizeof *l->local);
	l->id = gemp_calloc(n, sizeof *l->id);
	l->key_rank = gemp_calloc(n, sizeof *l->key_rank);
	l->out_degree = gemp_calloc(n, sizeof *l->out_degree);
	gas_order(&edges, l->local);
	for (uint32_t s = n / 2 + 1; s < n; s++) { /* coprime to n */
		uint32_t a = s, b = n;
		while (b) {
			uint32_t rest = a % b;
			a = b;
			b = rest;
		}
		if (a == 1) {
			stride = s;
			break;
		}
	}
	for (uint32_t v = 0; v < n; v++) {
		l->id[l->local[v]] = v;
		l->key_rank[l->local[v]] = (uint32_t)((uint64_t)v * stride % n);
	}
	l->in = gas_make_rows(&edges, l->local, true, weights);
	l->out = edges.directed ? gas_make_rows(&edges, l->local, false, weights) : l->in;
	l->in_ghost = (gemp_layout_rows){ n, gemp_calloc((size_t)n + 1, sizeof(uint64_t)), NULL, NULL };
	l->edges = l->out.begin[n];
	for (uint32_t v = 0; v < n; v++)
		l->out_degree[v] = l->out.begin[v + 1] - l->out.begin[v];
	for (size_t i = 0; edges.weight && i < edges.count; i++) {
		l->min_weight = i && l->min_weight < edges.weight[i] ? l->min_weight : edges.weight[i];
		l->max_weight = l->max_weight > edges.weight[i] ? l->max_weight : edges.weight[i];
		l->weight_sum += edges.weight[i] * (edges.directed || edges.source[i] == edges.target[i] ? 1 : 2);
	}
	if (weights == GEMP_LAYOUT_U8 || weights == GEMP_LAYOUT_U32 || weights == GEMP_LAYOUT_U64)
		l->max_integer = l->max_weight >= 0x1p64 ? UINT64_MAX : (uint64_t)l->max_weight;
}

static inline void gas_case_free(gas_case *c)
{
	gemp_layout *l = &c->layout;
	if (l->out.begin != l->in.begin) {
		gemp_free(l->out.begin);
		gemp_free(l->out.end);
		gemp_free(l->out.weight);
	}
	gemp_free(l->in.begin);
	gemp_free(l->in.end);
	gemp_free(l->in.weight);
	gemp_free(l->in_ghost.begin);
	gemp_free(l->id);
	gemp_free(l->local);
	gemp_free(l->key_rank);
	gemp_free(l->out_degree);
	gemp_free(c->edges.source);
	gemp_free(c->edges.target);
	gemp_free(c->edges.weight);
	gemp_comm_free(&c->comm);
}

#endif
