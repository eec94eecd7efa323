/* patch_groups: the edges that a patch adds to the relations, in groups by type. An edge that changes its type or an
 * end is moved: it is deleted from its relation and added again. A relation therefore gets added edges of the patch and
 * moved edges of all relations. These edges are sent to the owners of their new sources. */

#ifndef GEMP_PARTITION_PATCH_PATCH_GROUPS_H
#define GEMP_PARTITION_PATCH_PATCH_GROUPS_H

#include "partition/build/builder_state.h"
#include "partition/patch/patch_state.h"

typedef struct gemp_edge_patch_state {
	gemp_patch_state *p;
	size_t merge_count;        /* merges of all ranks */
	gemp_vertex_merge *merges; /* [merge_count] by ascending vertex */
	size_t group_count, group_capacity;
	/* the groups of the patch (`borrowed` of them), then groups of moved edges; all ranks have the same groups */
	gemp_patch_edges *groups;
	size_t borrowed;
} gemp_edge_patch_state;

/* Collective. Finds all moved edges and makes the groups. */
gemp_code gemp_patch_groups_new(gemp_edge_patch_state *e);
void gemp_patch_groups_free(gemp_edge_patch_state *e);

/* The edges of one relation from all groups, on the owners of their sources. */
typedef struct gemp_edge_group {
	size_t count;
	gemp_edge_pair *edges; /* [count] ends as new ids */
	gemp_table values;     /* [count] rows, with all columns of the relation */
} gemp_edge_group;

/* Collective. Gathers the added and moved edges of the relation `type`. *props has the attributes of the relation's
 * `edges` old edges and gets the columns of the groups. */
gemp_code gemp_patch_gather_group(gemp_edge_group *out, const gemp_edge_patch_state *e, const char *type, size_t edges,
                                  gemp_table *props);
void gemp_edge_group_free(gemp_edge_group *group);

#endif
