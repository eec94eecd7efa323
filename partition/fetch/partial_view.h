/* partial_view: some rows of a view in the form of all of them, so kernels for resident rows run on them. */

#ifndef GEMP_PARTITION_FETCH_PARTIAL_VIEW_H
#define GEMP_PARTITION_FETCH_PARTIAL_VIEW_H

#include "partition/fetch/fetch.h"

typedef struct gemp_partial_capacity {
	size_t neighbours, edges; /* entries */
} gemp_partial_capacity;

/* Local. The rows of `wanted` (bits by slot), which are at hand or held, in place of those that the view had; of these
 * the pieces of `tiles`, or, that being NULL, all. It has a row for each slot; those that were not wanted are empty.
 * Not uploaded. The caller frees it (gemp_view_free). */
gemp_code gemp_partial_view_fill(gemp_view *out, gemp_partial_capacity *room, const gemp_fetch *fetch, size_t view,
                                 const uint32_t *wanted, const gemp_tiles *tiles);

/* Which entries of a row are read at all: below or above the row's own slot. */
typedef enum gemp_row_part { GEMP_ENTRIES_ALL, GEMP_ENTRIES_BELOW, GEMP_ENTRIES_ABOVE } gemp_row_part;

/* Local. Rows at hand without entries that nobody reads: beyond `entries`, or without a bit in `bits` (by slot; NULL:
 * all have one). */
gemp_code gemp_view_filter_entries(gemp_view *out, const gemp_view *view, const gemp_residency *residency,
                                   gemp_row_part entries, const uint32_t *bits);

#endif
