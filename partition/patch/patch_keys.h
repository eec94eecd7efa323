/* patch_keys: keys of new vertices, and the ranks of all keys after a patch, without sorting the old ones. */

#ifndef GEMP_PARTITION_PATCH_PATCH_KEYS_H
#define GEMP_PARTITION_PATCH_PATCH_KEYS_H

#include "partition/patch/patch_state.h"

gemp_code gemp_patch_keys(gemp_patch_state *p);

#endif
