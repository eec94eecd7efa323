/* patch: applies the changes of patch_types.h to a graph, in the stages of patch_state.h. */

#ifndef GEMP_PARTITION_PATCH_PATCH_H
#define GEMP_PARTITION_PATCH_PATCH_H

#include "partition/patch/patch_types.h"

void gemp_patch_free(gemp_patch *patch);

/* Collective. *graph becomes the new graph; after an error it is good for gemp_shard_free only. What is not loaded is
 * loaded first; rows by target are made when they are needed. done: NULL, or filled; gemp_patch_result_free. */
gemp_code gemp_shard_patch(gemp_shard **graph, const gemp_comm *comm, gemp_patch *patch, gemp_patch_result *done);
void gemp_patch_result_free(gemp_patch_result *done);

#endif
