/* patch_state: the state of a patch that its stages share, and its stages for labels and attributes of vertices. All stages:
 *   ids         which vertices stay, and their new ids
 *   keys        of new vertices, and the order of all keys
 *   labels      sets of labels, and which vertices have them
 *   attributes  of vertices
 *   relations   edges that stay, change their type or their ends, or are new, each with its attributes
 * Each stage is collective and ends with the same code on all ranks.
 */

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
	uint64_t new_vertices; /* added by all ranks */
	size_t survivors;      /* own old vertices that stay */
	uint64_t
		*surviving; /* [surviving_count] own rows that `to` has, new ones behind: from->rows, ...; NULL: all of them */
	size_t surviving_count;
} gemp_patch_state;

gemp_code gemp_patch_labels(gemp_patch_state *p);
gemp_code gemp_patch_attributes(gemp_patch_state *p);
gemp_code gemp_patch_relations(gemp_patch_state *p);

/* Local. Moves *column to *to: NULLs are appended for new vertices, and the rows of deleted vertices are left out. */
gemp_code gemp_patch_survivors(const gemp_patch_state *p, gemp_column *to, gemp_column *column);
/* Sets the bits of new vertices and of vertices with new values in result->changed. */
void gemp_patch_mark_vertices(const gemp_patch_state *p);

/* Marks one vertex; threads may call it concurrently. */
static inline void gemp_patch_mark_changed(const gemp_patch_state *p, gemp_vertex id)
{
	if (id != GEMP_NO_VERTEX)
		gemp_bits64_set_atomic(p->result->changed, id);
}

#endif
