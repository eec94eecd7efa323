/* rows_by_target: the rows by target, made from the rows by source. */

#ifndef GEMP_PARTITION_BUILD_ROWS_BY_TARGET_H
#define GEMP_PARTITION_BUILD_ROWS_BY_TARGET_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Makes in_offsets, in_sources and in_edges from the rows by source and frees the arrays that the relation
 * had before. batch: bytes that a rank sends in one round (GEMP_RECORD_BATCH by default). */
gemp_code gemp_rows_by_target_make(const gemp_comm *comm, size_t batch, const gemp_shard *graph,
                                   gemp_relation *relation);

/* Local. Returns the number of pairs {u, v} with u < v that are joined in both directions and whose v this rank owns.
 * marked[e] becomes 1 for the edges v -> u of these pairs. e is the index of an edge among this rank's edges. */
uint64_t gemp_rows_by_target_reciprocal(const gemp_shard *graph, const gemp_relation *relation, uint8_t *marked);

#endif
