/* core_order: the order in which the vertices of a core are bound (core_walk.h), by the expected entries that are read.
 * Up to eight vertices the best order of all is found, by dynamic programming over sets of vertices (Selinger et al.
 * 1979); otherwise the vertex that leaves the fewest partial matches comes next. */

#ifndef GEMP_COUNT_CORE_ORDER_H
#define GEMP_COUNT_CORE_ORDER_H

#include "count/typed_terms.h"
#include "graph/graph.h"

/* Sets of vertices, equal on all ranks. */
typedef struct gemp_candidate_classes {
	size_t count;
	const uint32_t *bits[GEMP_MAX_PATTERN_VERTICES]; /* by id; borrowed */
	uint64_t sizes[GEMP_MAX_PATTERN_VERTICES];
} gemp_candidate_classes;

typedef struct gemp_core_order {
	int count, order[GEMP_MAX_PATTERN_VERTICES];
	double rows, cost; /* expected matches, and entries that are read */
} gemp_core_order;

/* The order of the term's vertices in `alive`, which are connected. The term's root comes first, if it has one. The
 * ends of the relations are known. */
gemp_core_order gemp_core_order_find(const gemp_shard *graph, const gemp_type_sets *types,
                                     const gemp_candidate_classes *classes, const gemp_typed_term *term,
                                     uint64_t alive);

#endif
