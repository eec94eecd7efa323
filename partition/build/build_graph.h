/* build_graph: the end of building: all stages of builder_state.h in their order. */

#ifndef GEMP_PARTITION_BUILD_BUILD_GRAPH_H
#define GEMP_PARTITION_BUILD_BUILD_GRAPH_H

#include "graph/graph.h"
#include "partition/build/builder_options.h"

/* Collective. Checks, relabels, sorts and gives the graph, everything loaded (both CSR and CSC, props, keys, key ranks,
 * hash); the builder is empty afterwards. Warns of pairs of edges listed in both directions. */
gemp_code gemp_builder_finish(gemp_builder *builder, gemp_shard **out);

#endif
