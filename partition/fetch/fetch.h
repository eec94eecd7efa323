/* fetch: gives a rank the rows of any rank by slot. The module runs on the host only.
 *
 * Resident rows (the rank's own rows and replicas) are read in place. Rows of other ranks are requested from their
 * owners once and kept in a cache. An exchange has many steps: in one step a rank requests at most fetch_round / ranks
 * bytes (gemp_limits) from each owner, so no rank sends or receives much more than fetch_round bytes at a time.
 * Requests and replies are coded:
 *
 *   request  if only pieces of rows are wanted: the columns of the blocks of each view; for each view: number of slots,
 *            slots
 *   reply    the rows, or their pieces, in the order of the request, in blocks (row_code.h)
 *
 * The lengths of other ranks' rows are known by degree class, which takes one byte for each vertex and view. */

#ifndef GEMP_PARTITION_FETCH_FETCH_H
#define GEMP_PARTITION_FETCH_FETCH_H

#include "core/memory.h"
#include "partition/fetch/row_cache.h"
#include "partition/runtime.h"
#include "partition/views/view.h"

typedef struct gemp_fetch_stats {
	uint64_t rows;                 /* rows that other ranks have sent to this rank */
	uint64_t bytes, uncoded_bytes; /* bytes that this rank has sent, and their number without coding */
	uint64_t messages, steps;
} gemp_fetch_stats;

typedef struct gemp_fetch {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_residency *residency;
	size_t view_count;
	const gemp_view *resident_views; /* [view_count] borrowed */
	bool edges;                      /* whether some view has edges */
	uint8_t **classes;               /* [view_count][vertices] degree class by slot; NULL if all rows are resident */
	gemp_row_cache cache;
	gemp_tiles tiles; /* the pieces of rows that the cache has; if `columns` is NULL, the cache has whole rows */
	gemp_fetch_stats stats;
} gemp_fetch;

/* Collective. All arguments are borrowed. If only some views have edges, callers read edges only in rows of these
 * views. */
gemp_code gemp_fetch_new(gemp_fetch **out, gemp_runtime *context, const gemp_shard *graph, const gemp_slot_order *order,
                         const gemp_residency *residency, const gemp_view *views, size_t view_count);
void gemp_fetch_free(gemp_fetch *fetch);
GEMP_RELEASE(gemp_fetch_free, gemp_fetch *)

/* Collective. Fetches the rows whose bits are set in wanted[view] (by slot); gemp_fetch_find then finds them. tiles:
 * only these pieces of other ranks' rows are fetched and kept. The blocks of the tiles are the same on all ranks. If
 * tiles is NULL on all ranks, whole rows are fetched. */
gemp_code gemp_fetch_rows(gemp_fetch *fetch, uint32_t *const *wanted, const gemp_tiles *tiles);

bool gemp_fetch_is_resident(const gemp_fetch *fetch, gemp_vertex slot);
/* Both functions find a row that is resident or cached: the resident row, or the cached row or pieces. The row is valid
 * until the next gemp_fetch_rows. gemp_fetch_find returns whether the row is resident. */
bool gemp_fetch_find(const gemp_fetch *fetch, size_t view, gemp_vertex slot, gemp_row *row);
gemp_row gemp_fetch_get(const gemp_fetch *fetch, size_t view, gemp_vertex slot);
/* Returns the length of a row of any rank. The length is exact for a resident row, and otherwise an upper bound, at
 * most an eighth above the length. */
uint64_t gemp_fetch_size(const gemp_fetch *fetch, size_t view, gemp_vertex slot);

/* Returns the bytes of a row's entry on a device: the neighbour, and its edge if edges are fetched. */
static inline uint64_t gemp_fetch_entry_bytes(const gemp_fetch *fetch)
{
	return sizeof(gemp_vertex) + (fetch->edges ? sizeof(gemp_edge) : 0);
}

#endif
