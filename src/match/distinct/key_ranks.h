/* key_ranks: the ranks of the user keys of all vertices, by which the smallest embedding of a class is chosen. Ids
 * depend on the number of ranks. */

#ifndef GEMP_MATCH_DISTINCT_KEY_RANKS_H
#define GEMP_MATCH_DISTINCT_KEY_RANKS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Gathers the key rank of each vertex, rank[vertices], and the vertex with each key rank, vertex[vertices].
 * The caller frees both, also after a failure. */
gemp_code gemp_key_ranks_gather(gemp_comm *comm, gemp_shard *graph, uint32_t **rank, gemp_vertex **vertex);

#endif
