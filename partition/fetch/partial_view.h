/* partial_view: views in which only some rows are filled, in the format of complete views. Kernels that search resident
 * rows run on them. */

#ifndef GEMP_PARTITION_FETCH_PARTIAL_VIEW_H
#define GEMP_PARTITION_FETCH_PARTIAL_VIEW_H

#include "partition/fetch/fetch.h"

typedef struct gemp_partial_capacity {
	size_t neighbours, edges; /* allocated entries */
} gemp_partial_capacity;

/* Local. Replaces the rows of the view by the rows of the slots in `wanted` (bits). These rows are resident or cached.
 * tiles: only these pieces of the rows are copied. If tiles is NULL, whole rows are copied. The view has a row for each
 * slot, and the rows of all other slots are empty. The view is not uploaded. The caller frees it (gemp_view_free). */
gemp_code gemp_partial_view_fill(gemp_view *out, gemp_partial_capacity *room, const gemp_fetch *fetch, size_t view,
                                 const uint32_t *wanted, const gemp_tiles *tiles);

/* The entries of a row that a search reads: all entries, or only the entries below or above the row's own slot. */
typedef enum gemp_row_part { GEMP_ENTRIES_ALL, GEMP_ENTRIES_BELOW, GEMP_ENTRIES_ABOVE } gemp_row_part;

/* Collective. Copies the resident rows without the entries that no search reads. An entry stays if it is in the part
 * `entries` of its row and its slot has a bit in `bits`. If bits is NULL, every slot has a bit. Ranks of a node that
 * share the rows also share the copy, and each of them makes a part of it; if the node has no memory for that, no copy
 * is made and out->begin is NULL. All ranks of a node free the copy at the same time. */
gemp_code gemp_view_filter_entries(gemp_view *out, const gemp_comm *comm, const gemp_view *view,
                                   const gemp_residency *residency, gemp_row_part entries, const uint32_t *bits);

#endif
