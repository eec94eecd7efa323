/* build_edges: the stage of the builder that routes edges to the owners of their sources.
 *
 * Relations and the columns of each are agreed on first. Edges without values travel as arrays in rounds, others as packed
 * records. Owners build rows by source, merge parallel edges if asked, and then exchange rows by target.
 */

#ifndef GEMP_PARTITION_BUILD_BUILD_EDGES_H
#define GEMP_PARTITION_BUILD_BUILD_EDGES_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_edges(gemp_builder *builder, gemp_shard *graph);

#endif
