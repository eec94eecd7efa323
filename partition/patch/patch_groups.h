/* patch_groups: the edges that a patch adds to the relations, in groups by type. Edges that change their type or their ends are
 * deleted where they are and added again, so a relation gets edges of the patch and edges of other relations; all of them go
 * to the owners of their new sources. */

#ifndef GEMP_PARTITION_PATCH_PATCH_GROUPS_H
#define GEMP_PARTITION_PATCH_PATCH_GROUPS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_edge_patch_state {
	gemp_patch_state *p;
	size_t merge_count;        /* of all ranks */
	gemp_vertex_merge *merges; /* [merged_count] ascending */
	size_t group_count, group_capacity;
	gemp_patch_edges *groups; /* those of the patch (borrowed), then edges that move; alike on all ranks */
	size_t borrowed;
} gemp_edge_patch_state;

/* Collective. Finds groups, with all that move. */
gemp_code gemp_patch_groups_new(gemp_edge_patch_state *e);
void gemp_patch_groups_free(gemp_edge_patch_state *e);

/* Edges of one relation from all groups, at the owners of their sources. */
typedef struct gemp_edge_group {
	size_t count;
	gemp_edge_pair *edges; /* [count] new ids */
	gemp_table values;     /* [count] rows, all columns of the relation */
} gemp_edge_group;

/* Collective. *props, of the relation's own `edges` so far, gets the columns that it has from now on: those of groups
 * too. */
gemp_code gemp_patch_gather_group(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type, size_t edges,
                                  gemp_table *props);
void gemp_edge_group_free(gemp_edge_group *group);

#endif
