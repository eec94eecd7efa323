/* edge_ends: the stage of the builder that replaces the keys of edge ends by ids.
 *
 * Distinct keys are asked of the ranks that own their hashes. The unknown end with the lowest place is reported.
 */

#ifndef GEMP_PARTITION_BUILD_EDGE_ENDS_H
#define GEMP_PARTITION_BUILD_EDGE_ENDS_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_ends(gemp_builder *builder, const gemp_shard *graph);

#endif
