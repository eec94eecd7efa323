/* symmetric_rows: the merged rows (graph/either_rows.h) of undirected edges without attributes, made from a list of
 * edges. Rows by source, rows by target and numbers of edges, which take twice as long, are not needed for them. */

#ifndef GEMP_PARTITION_BUILD_SYMMETRIC_ROWS_H
#define GEMP_PARTITION_BUILD_SYMMETRIC_ROWS_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "partition/build/row_partition.h"

/* Collective. The lists of all ranks have each edge on the owners of both of its ends, in any direction. Frees the
 * pairs of the lists. With `merge` one of several edges of a pair is kept; otherwise the user is warned of them. Sets
 * the merged rows, the numbers of edges and the flags of the relation. */
gemp_code gemp_symmetric_rows_make(const gemp_comm *comm, const gemp_shard *graph, gemp_pair_list *lists, size_t count,
                                   bool merge, gemp_relation *relation);

#endif
