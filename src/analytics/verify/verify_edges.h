/* verify_edges: what the checks share: a visit of all edges as they lead, values of all vertices, and the first fault, which becomes
 * one message of all ranks. Private to this folder, but for gemp_verify_edges.
 */

#ifndef GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H
#define GEMP_ANALYTICS_VERIFY_VERIFY_EDGES_H

#include "analytics/layout/layout.h"

#include <stdatomic.h>

typedef struct verify_fault {
	atomic_bool taken;
	const char *what; /* stands between the keys of a and b */
	uint64_t a, b;    /* ids */
} verify_fault;

/* Which edges, and how they lead: as a layout has them. */
typedef struct gemp_verify_edges {
	const gemp_comm *comm;
	gemp_shard *graph;     /* what is needed of it is loaded */
	const bool *relations; /* [graph->relation_count]; NULL: all */
	gemp_edge_direction direction;
	const char *weight; /* NULL: each edge weighs 1 */
} gemp_verify_edges;

/* Collective. Has this node room for so many bytes for each vertex of the graph, on each of its ranks? */
gemp_code gemp_verify_capacity(const gemp_verify_edges *edges, unsigned bytes);

/* Several threads may see faults; one is kept. */
void gemp_verify_fault(verify_fault *fault, const char *what, uint64_t a, uint64_t b);
/* Collective. Any rank's fault is a failure of all. */
gemp_code gemp_verify_agree(const gemp_verify_edges *edges, const verify_fault *fault);

/* An edge leads from a to b; its weight is in a row of a column, NULL: 1. Several threads call it. */
typedef void gemp_verify_visit(void *self, uint64_t a, uint64_t b, const gemp_column *weight, uint64_t row);
/* Collective: loads keys and edges. Each edge of this rank, as often as it leads. */
gemp_code gemp_verify_each_edge(const gemp_verify_edges *edges, gemp_verify_visit *visit, void *self);

static inline double verify_weight(const gemp_column *weight, uint64_t row)
{
	return !weight ? 1 : weight->integers ? (double)weight->integers[row] : weight->floats[row];
}

/* Collective. Of all vertices by id: gemp_free. */
gemp_code gemp_verify_gather(const gemp_verify_edges *edges, const void *own, size_t size, void **all);

/* Collective. Numbers of all ranks become their sum, or bits of any. */
void gemp_verify_sum(const gemp_comm *comm, double *sums, uint64_t count);
void gemp_verify_or(const gemp_comm *comm, uint64_t *words, uint64_t count);

/* Several threads. */
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
