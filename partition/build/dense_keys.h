/* dense_keys: integer keys that lie in a range which is small beside the edges.
 *
 * Every rank has tables over the whole range, so ends of edges are found and replaced without hashing and without an
 * exchange. Other integer keys are hashed and looked up at their owners (partition/build/integer_keys.h). Keys are
 * given as the numbers of gemp_integer_number. */

#ifndef GEMP_PARTITION_BUILD_DENSE_KEYS_H
#define GEMP_PARTITION_BUILD_DENSE_KEYS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"
#include "partition/build/edge_list.h"

/* Collective. *dense becomes whether the ends of all edges are dense. If so, *numbers becomes the distinct ends whose
 * keys this rank owns, in ascending order. The caller frees *numbers[*count]. */
gemp_code gemp_dense_ends(gemp_builder *builder, bool *dense, uint64_t **numbers, size_t *count);

/* Collective. *dense becomes whether the keys of the graph's vertices are dense. If so, replaces the ends of all edges
 * by ids. Unknown ends are noted and do not make this function fail. */
gemp_code gemp_dense_ids(gemp_builder *builder, const gemp_shard *graph, bool *dense, gemp_unknown_end *unknown);

#endif
