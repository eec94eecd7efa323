/* match_number: numbers of matches by a bitmap of vertices, without tuples and without a sort.
 *
 * The first number of a tuple (match_order.h) is the rank of the key of the match's first vertex. In many rules that
 * create vertices each match has another first vertex. The set bits before the bit of this vertex are then the matches
 * before the match. All ranks have the whole bitmap, so no rank asks another. */

#ifndef GEMP_TRANSFORM_CONFLICTS_MATCH_NUMBER_H
#define GEMP_TRANSFORM_CONFLICTS_MATCH_NUMBER_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "query/rows/frame.h"

/* Collective. total: the number of marked rows of all ranks. *distinct becomes true if the rows have a vertex and no
 * two marked rows of all ranks have the same first vertex. If row i is marked, number[i] then becomes what
 * gemp_match_order_number gives; otherwise number[] is not valid. */
gemp_code gemp_match_number_by_vertex(const gemp_comm *comm, gemp_shard *graph, const gemp_frame *frame,
                                      const uint8_t *marked, uint64_t total, uint64_t *number, bool *distinct);

#endif
