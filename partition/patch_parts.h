/* patch_parts: what the stages of a patch share. The stages, in order:
 *   ids         which vertices stay, and where they go
 *   keys        of new vertices, and the order of all
 *   labels      sets of labels and who has them
 *   attributes  of vertices
 *   relations   edges that stay, change their type or their ends, or are new, each with its attributes
 * Each is collective and ends with the same code on all ranks.
 */
#ifndef GEMP_PARTITION_PATCH_PARTS_H
#define GEMP_PARTITION_PATCH_PARTS_H

#include "partition/builder_edge_list.h"
#include "partition/patch.h"

typedef struct gemp_patching {
	const gemp_comm *comm;
	gemp_graph *from, *to;
	gemp_patch *patch;
	gemp_patched *done;
	gemp_moved moved;
	uint64_t added;       /* of all ranks */
	size_t survivors;     /* own ones */
	uint64_t *kept;       /* [kept_count] own rows that `to` has, new ones behind: from->rows, ...; NULL: all of them */
	size_t kept_count;
} gemp_patching;

/* Rows that a thread goes through at a time. */
enum { GEMP_PATCH_PIECE = 1 << 14 };
static inline size_t gemp_patch_pieces(size_t rows)
{
	return (rows + GEMP_PATCH_PIECE - 1) / GEMP_PATCH_PIECE;
}
static inline size_t gemp_patch_end(size_t piece, size_t rows)
{
	return (piece + 1) * GEMP_PATCH_PIECE < rows ? (piece + 1) * GEMP_PATCH_PIECE : rows;
}

gemp_code gemp_patch_ids(gemp_patching *p);
gemp_code gemp_patch_keys(gemp_patching *p);
gemp_code gemp_patch_labels(gemp_patching *p);
gemp_code gemp_patch_attributes(gemp_patching *p);
gemp_code gemp_patch_relations(gemp_patching *p);

/* Local. *to becomes *column with what it still lacks of new rows, NULL, less the rows of vertices that are gone. */
gemp_code gemp_patch_keep(const gemp_patching *p, gemp_column *to, gemp_column *column);
/* New vertices and those with new values are noted as changed, where somebody asks. */
void gemp_patch_note_vertices(const gemp_patching *p);
/* One vertex; threads may do so at the same time. */
static inline void gemp_patch_note(const gemp_patching *p, gemp_vertex id)
{
	if (id != GEMP_NO_VERTEX)
		__atomic_fetch_or(&p->done->changed[id / 64], UINT64_C(1) << id % 64, __ATOMIC_RELAXED);
}

#endif
