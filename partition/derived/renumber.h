/* renumber: the same graph with ids such that the vertices of each part follow one another. */

#ifndef GEMP_PARTITION_DERIVED_RENUMBER_H
#define GEMP_PARTITION_DERIVED_RENUMBER_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. part[graph->rows], below `parts`, is where each of this rank's vertices goes; within a part vertices keep
 * their order. out: everything loaded, parts and method set, ranks own what gemp_partition_assign says. The graph's own
 * parts are loaded as far as they are not; out does not depend on the number of ranks. */
gemp_code gemp_shard_renumber(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *part,
                              uint64_t parts, const char *method);

#endif
