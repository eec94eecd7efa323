/* builder_edges: the rows by target, made from the rows by source. */
#ifndef GEMP_PARTITION_BUILDER_EDGES_H
#define GEMP_PARTITION_BUILDER_EDGES_H

#include "partition/builder_state.h"

/* Collective. Fills in_begin, in and in_edge (replaced if there) from out. */
gemp_code gemp_builder_targets(const gemp_builder *builder, const gemp_graph *graph, gemp_relation *relation);

/* Local. How many pairs {u, v}, u < v, are joined in both directions where this rank owns v; marked[e] is set for the
 * edges v -> u, e counted from this rank's first. */
uint64_t gemp_builder_reciprocal(const gemp_graph *graph, const gemp_relation *relation, uint8_t *marked);

#endif
