/* build_vertices: the stage of the builder that routes vertices to their owners.
 *
 * A vertex belongs to the rank that owns its hash. Owners sort by (hash, key, place), report duplicates, give consecutive ids and
 * make the columns of keys and attributes. With vertices_from_edges unknown ends of edges become vertices, too.
 */

#ifndef GEMP_PARTITION_BUILD_BUILD_VERTICES_H
#define GEMP_PARTITION_BUILD_BUILD_VERTICES_H

#include "graph/graph.h"
#include "partition/build/builder_state.h"

gemp_code gemp_builder_vertices(gemp_builder *builder, gemp_shard *graph);

#endif
