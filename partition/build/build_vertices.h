#ifndef GEMP_PARTITION_BUILD_BUILD_VERTICES_H
#define GEMP_PARTITION_BUILD_BUILD_VERTICES_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph);

#endif
