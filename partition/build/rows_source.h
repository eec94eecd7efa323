/* rows_source: rows of a relation in memory that are made of its other rows when a caller needs them: the rows by
 * target of those by source, merged rows of both, and both of the merged rows of a symmetric relation. */

#ifndef GEMP_PARTITION_BUILD_ROWS_SOURCE_H
#define GEMP_PARTITION_BUILD_ROWS_SOURCE_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Returns the loader of a graph in memory. The graph borrows comm until it is freed. */
gemp_shard_loader gemp_rows_source(const gemp_comm *comm);

/* Collective. Makes those of the rows by source and by target that are in `parts`, and the numbers of edges, from the
 * merged rows of a symmetric relation. */
gemp_code gemp_rows_split_merged(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation,
                                 unsigned parts);

#endif
