/* patch_vertices: labels and attributes of vertices after a patch, and which vertices count as changed. */

#ifndef GEMP_PARTITION_PATCH_PATCH_VERTICES_H
#define GEMP_PARTITION_PATCH_PATCH_VERTICES_H

#include "partition/patch/patch_state.h"

gemp_code gemp_patch_labels(gemp_patch_state *p);
gemp_code gemp_patch_attributes(gemp_patch_state *p);

/* Local. *to becomes *column with what it still lacks of new rows, NULL, less the rows of vertices that are gone. */
gemp_code gemp_patch_survivors(const gemp_patch_state *p, gemp_column *to, gemp_column *column);
/* New vertices and those with new values are noted as changed, where somebody asks. */
void gemp_patch_mark_vertices(const gemp_patch_state *p);

#endif
