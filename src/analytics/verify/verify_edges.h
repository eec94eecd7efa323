/* verify_edges: the common part of the checks. It visits all edges in their directions, gathers values of all vertices,
 * and turns the first fault of any rank into one message. Private to this folder, except gemp_verify_edges.
 */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H

#include "analytics/layout/layout.h"

#include <stdatomic.h>

typedef struct verify_fault {
	atomic_bool taken;
	const char *what; /* the part of the message between the keys of a and b */
	uint64_t a, b;    /* ids */
} verify_fault;

/* The edges and their directions, as a layout has them. */
typedef struct gemp_verify_edges {
	const gemp_comm *comm;
	gemp_shard *graph;     /* checks load the parts that they need */
	const bool *relations; /* [graph->relation_count]; NULL: all */
	gemp_edge_direction direction;
	const char *weight; /* NULL: each edge weighs 1 */
} gemp_verify_edges;

/* Collective. GEMP_ENOMEM if a node has too little memory for so many bytes for each vertex of the graph on each of its
 * ranks. */
gemp_code gemp_verify_capacity(const gemp_verify_edges *edges, unsigned bytes);

/* Several threads may report faults; the first one is kept. */
void gemp_verify_fault(verify_fault *fault, const char *what, uint64_t a, uint64_t b);
/* Collective. Any rank's fault is a failure of all. */
gemp_code gemp_verify_agree(const gemp_verify_edges *edges, const verify_fault *fault);

/* Called for an edge from a to b, whose weight is in `row` of a column; NULL: it is 1. Several threads call it at the
 * same time. */
typedef void gemp_verify_visit(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row);
/* Collective. Loads keys and edges, and visits each edge of this rank in each of its directions. */
gemp_code gemp_verify_each_edge(const gemp_verify_edges *edges, gemp_verify_visit *visit, void *self);

static inline double verify_weight(const gemp_column *weight, uint64_t row)
{
	return !weight ? 1 : weight->integers ? (double)weight->integers[row] : weight->floats[row];
}

/* Collective. own: values of `size` bytes by row. *all: values of all vertices by id; the caller frees. */
gemp_code gemp_verify_gather(const gemp_verify_edges *edges, const void *own, size_t size, void **all);

/* Collective. Arrays of all ranks are reduced in place, by sums or by bitwise or. */
void gemp_verify_sum(const gemp_comm *comm, double *sums, uint64_t count);
void gemp_verify_or(const gemp_comm *comm, uint64_t *words, uint64_t count);

/* Atomic additions and maxima, since threads visit edges of one target at the same time. */
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
