#ifndef GEMP_PARTITION_BUILD_KEY_RANKS_H
#define GEMP_PARTITION_BUILD_KEY_RANKS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_ranks(gemp_builder *builder, gemp_shard *graph);

#endif
