/* key_ranks: the stage of the builder that gives every key its rank among all keys, by a sample sort (Frazer and McKellar 1970):
 * splitters from samples of all ranks divide the keys, each rank sorts its division and sends the ranks back. */

#ifndef GEMP_PARTITION_BUILD_KEY_RANKS_H
#define GEMP_PARTITION_BUILD_KEY_RANKS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_ranks(gemp_builder *builder, gemp_shard *graph);

#endif
