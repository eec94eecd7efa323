#ifndef GEMP_PARTITION_BUILD_BUILD_EDGES_H
#define GEMP_PARTITION_BUILD_BUILD_EDGES_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph);

#endif
