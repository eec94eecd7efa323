/* label_sets: sets of labels, numbered alike on all ranks. */

#ifndef GEMP_PARTITION_BUILD_LABEL_SETS_H
#define GEMP_PARTITION_BUILD_LABEL_SETS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_labels(gemp_builder *builder, gemp_shard *graph);

/* Collective. The graph, which has none, gets labels and sets of the texts "A;B" of all ranks: names in bytewise
 * order, sets in lexicographic order, and the number of vertices of each still to be set. set_of[i] is the set of text
 * i of `mine`. */
gemp_code gemp_builder_label_sets(const gemp_comm *comm, const gemp_bytes *mine, gemp_shard *graph, uint32_t *set_of);

#endif
