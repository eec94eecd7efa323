/* new_keys: where the keys of new vertices begin, and the keys themselves. */

#ifndef GEMP_PARTITION_PATCH_NEW_KEYS_H
#define GEMP_PARTITION_PATCH_NEW_KEYS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Returns the largest number of a key; the keys of the graph are loaded. Negative keys, and strings of
 * another form than "#12", count as 0, so new keys begin at 1 in such graphs. */
int64_t gemp_patch_max_key(const gemp_comm *comm, const gemp_shard *graph);
/* Local. Appends the keys first + numbers[0..count), as integers or as texts "#12" like the keys of the column. All
 * threads write them. */
gemp_code gemp_new_keys_append(gemp_column *keys, int64_t first, const uint64_t *numbers, size_t count);

#endif
