/* verify_edges: the common part of the checks. It visits all edges in their directions, gathers the values of all
 * vertices, and makes one message of the first fault of any rank. Private to this folder, except gemp_verify_edges. */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H

#include "analytics/layout/layout.h"

#include <stdatomic.h>

typedef struct verify_fault {
	atomic_bool taken;
	const char *what; /* the part of the message between the keys of a and b */
	uint64_t a, b;    /* ids */
} verify_fault;

/* The edges to check against, and their directions, selected as for a layout. */
typedef struct gemp_verify_edges {
	const gemp_comm *comm;
	gemp_shard *graph;     /* checks load the parts that they need */
	const bool *relations; /* [graph->relation_count]; NULL: all */
	gemp_edge_direction direction;
	const char *weight; /* NULL: each edge weighs 1 */
} gemp_verify_edges;

/* Collective. Returns GEMP_ENOMEM if a node lacks memory for `bytes` bytes for each vertex of the graph on each of its
 * ranks. */
gemp_code gemp_verify_capacity(const gemp_verify_edges *edges, unsigned bytes);

/* Several threads may report faults. The first fault is kept. */
void gemp_verify_fault(verify_fault *fault, const char *what, uint64_t a, uint64_t b);
/* Collective. If any rank has a fault, all ranks return a failure. */
gemp_code gemp_verify_agree(const gemp_verify_edges *edges, const verify_fault *fault);

/* Called for an edge from vertex a to vertex b, whose weight is in `row` of a column. If the column is NULL, the weight
 * is 1. Several threads call it at the same time. */
typedef void gemp_verify_visit(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row);
/* Collective. Loads keys and edges, and visits each edge of this rank in each of its directions. */
gemp_code gemp_verify_each_edge(const gemp_verify_edges *edges, gemp_verify_visit *visit, void *self);

static inline double verify_weight(const gemp_column *weight, uint64_t row)
{
	return !weight ? 1 : weight->integers ? (double)weight->integers[row] : weight->floats[row];
}

/* Collective. own: values of `size` bytes, by row. *all becomes the values of all vertices, by id, and the caller frees
 * it. */
gemp_code gemp_verify_gather(const gemp_verify_edges *edges, const void *own, size_t size, void **all);

/* Collective. Arrays of all ranks are reduced in place: gemp_verify_sum adds numbers, gemp_verify_or takes the bitwise
 * or. */
void gemp_verify_sum(const gemp_comm *comm, double *sums, uint64_t count);
void gemp_verify_or(const gemp_comm *comm, uint64_t *words, uint64_t count);

/* Additions and maxima are atomic, since threads visit edges of one target at the same time. */
static inline void verify_add(double *sum, double value)
{
	double before = *sum, after;
	do
		after = before + value;
	while (!__atomic_compare_exchange(sum, &before, &after, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void verify_max(double *greatest, double value)
{
	double before = *greatest;
	while (value > before &&
	       !__atomic_compare_exchange(greatest, &before, &value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

#endif
