/* integer_vertices: the stage of vertices for graphs whose keys are all integers and whose vertices have no attributes.
 * Keys are arrays of numbers here, and all threads hash, sort and gather them. */

#ifndef GEMP_PARTITION_BUILD_INTEGER_VERTICES_H
#define GEMP_PARTITION_BUILD_INTEGER_VERTICES_H

#include "partition/build/builder_state.h"

/* Local, and the same on all ranks. Whether the stage below serves the graph. */
bool gemp_builder_has_integer_vertices(const gemp_builder *builder);
/* Collective. Gives the vertices ids and makes the column of keys. builder->vertices gets their records, but no keys.
 * Duplicates fail as in gemp_builder_vertices. */
gemp_code gemp_builder_integer_vertices(gemp_builder *builder, gemp_shard *graph);
/* Collective. The stage of ranks for integer keys. */
gemp_code gemp_builder_integer_ranks(const gemp_builder *builder, gemp_shard *graph);
/* Local. The same for ordered keys (gemp_builder_options), whose ranks are the ids. */
gemp_code gemp_builder_ordered_ranks(gemp_shard *graph);

#endif
