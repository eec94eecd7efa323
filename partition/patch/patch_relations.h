/* patch_relations: relations after a patch. Rows of a relation are kept, merged with added edges, or new; attributes follow. */

#ifndef GEMP_PARTITION_PATCH_PATCH_RELATIONS_H
#define GEMP_PARTITION_PATCH_PATCH_RELATIONS_H

#include "partition/patch/patch_state.h"

gemp_code gemp_patch_relations(gemp_patch_state *p);

#endif
