/* patch_groups: the edges that a patch adds to the relations, in groups by type. An edge that changes its type or an
 * end is deleted from its relation and added again, so a relation gets edges of the patch and of other relations. All
 * of them are sent to the owners of their new sources. */

#ifndef GEMP_PARTITION_PATCH_PATCH_GROUPS_H
#define GEMP_PARTITION_PATCH_PATCH_GROUPS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_edge_patch_state {
	gemp_patch_state *p;
	size_t merge_count;        /* of all ranks */
	gemp_vertex_merge *merges; /* [merged_count] ascending */
	size_t group_count, group_capacity;
	gemp_patch_edges *groups; /* those of the patch (borrowed), then moved edges; the same groups on all ranks */
	size_t borrowed;
} gemp_edge_patch_state;

/* Collective. Makes the groups, with all moved edges. */
gemp_code gemp_patch_groups_new(gemp_edge_patch_state *e);
void gemp_patch_groups_free(gemp_edge_patch_state *e);

/* Edges of one relation from all groups, at the owners of their sources. */
typedef struct gemp_edge_group {
	size_t count;
	gemp_edge_pair *edges; /* [count] new ids */
	gemp_table values;     /* [count] rows, all columns of the relation */
} gemp_edge_group;

/* Collective. *props, which has the attributes of the relation's `edges` old edges, gets the columns of the groups,
 * too. */
gemp_code gemp_patch_gather_group(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type, size_t edges,
                                  gemp_table *props);
void gemp_edge_group_free(gemp_edge_group *group);

#endif
