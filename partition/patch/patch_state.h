/* patch_state: the state of a patch that its stages share, and the stages for labels and attributes of vertices. All
 * stages:
 *   ids         which vertices stay, and the new ids
 *   keys        keys of new vertices, and the order of all keys
 *   labels      the label sets, and the set of each vertex
 *   attributes  attributes of vertices
 *   relations   edges that stay, change their type or an end, or are new, each with its attributes
 * Each stage is collective and ends with the same code on all ranks. */

#ifndef GEMP_PARTITION_PATCH_PATCH_STATE_H
#define GEMP_PARTITION_PATCH_PATCH_STATE_H

#include "core/bitset.h"
#include "partition/patch/patch.h"

typedef struct gemp_patch_state {
	const gemp_comm *comm;
	gemp_shard *from, *to;
	gemp_patch *patch;
	gemp_patch_result *result;
	gemp_id_map id_map;
	uint64_t new_vertices; /* number of new vertices of all ranks */
	size_t survivors;      /* number of this rank's old vertices that stay */
	/* [surviving_count] old rows of this rank that stay, then the new rows from->rows, from->rows + 1, ...; NULL if no
	 * vertex of any rank is deleted, so all old rows stay */
	uint64_t *surviving;
	size_t surviving_count;
} gemp_patch_state;

gemp_code gemp_patch_labels(gemp_patch_state *p);
gemp_code gemp_patch_attributes(gemp_patch_state *p);
gemp_code gemp_patch_relations(gemp_patch_state *p);

/* Local. Moves *column to *to. NULLs are appended for new vertices, and the rows of deleted vertices are dropped. */
gemp_code gemp_patch_survivors(const gemp_patch_state *p, gemp_column *to, gemp_column *column);
/* In result->changed sets the bits of new vertices and of vertices with new values or labels. */
void gemp_patch_mark_vertices(const gemp_patch_state *p);

/* Marks one vertex; threads may call it concurrently. */
static inline void gemp_patch_mark_changed(const gemp_patch_state *p, gemp_vertex id)
{
	if (id != GEMP_NO_VERTEX)
		gemp_bits64_set_atomic(p->result->changed, id);
}

#endif
