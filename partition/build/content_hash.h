/* content_hash: a number that tells whether two graphs have the same content: for every column the sum over its rows of
 * XXH3(value, row), which needs no order, then XXH3 over the sums with the columns' names. */

#ifndef GEMP_PARTITION_BUILD_CONTENT_HASH_H
#define GEMP_PARTITION_BUILD_CONTENT_HASH_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. The hash of a graph with everything loaded; it depends on ids, so also on the seed, not on the ranks. */
gemp_code gemp_shard_content_hash(const gemp_comm *comm, const gemp_shard *graph, uint64_t *hash);

#endif
