/* content_hash: a hash by which graphs are compared. For each column the values XXH3(value, row) of all rows are added
 * in any order. Then the sums are hashed together with the names of the columns. Graphs with equal content have equal
 * hashes. */

#ifndef GEMP_PARTITION_BUILD_CONTENT_HASH_H
#define GEMP_PARTITION_BUILD_CONTENT_HASH_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. All parts of the graph are loaded, or of symmetric relations merged rows and attributes
 * (GEMP_LOAD_EITHER, GEMP_LOAD_PROPS). The hash depends on the ids, and thereby on the seed, but not on the
 * number of ranks. */
gemp_code gemp_shard_content_hash(const gemp_comm *comm, const gemp_shard *graph, uint64_t *hash);

#endif
