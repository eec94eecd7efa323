/* fetch: gives a rank the rows of any rank by slot. Host only.
 *
 * Resident rows (own rows and replicas) are read in place. Rows of other ranks are requested from their owners once and kept in a cache. An exchange has many steps: in one step a rank requests at most fetch_round / ranks bytes (gemp_limits) from each owner, so no rank sends or receives much more than fetch_round bytes at a time. Requests
 * and replies are coded:
 *
 *   request  if only pieces of rows are wanted: the columns of the blocks of each view; for each view: number of slots, slots
 *   reply    the rows, or their pieces, in the order of the request, in blocks (row_code.h)
 *
 * The lengths of the rows of other ranks are known by degree class: one byte for each vertex and view.
 */

#ifndef GEMP_PARTITION_FETCH_FETCH_H
#define GEMP_PARTITION_FETCH_FETCH_H

#include "core/memory.h"
#include "partition/fetch/row_cache.h"
#include "partition/runtime.h"
#include "partition/views/view.h"

typedef struct gemp_fetch_stats {
	uint64_t rows;                 /* received from other ranks */
	uint64_t bytes, uncoded_bytes; /* sent by this rank: coded, and the size without coding */
	uint64_t messages, steps;
} gemp_fetch_stats;

typedef struct gemp_fetch {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_slot_order *order;
	const gemp_residency *residency;
	size_t view_count;
	const gemp_view *resident_views; /* [view_count] borrowed */
	bool edges;                      /* some view has edges */
	uint8_t **classes;               /* [view_count][vertices] degree class by slot; NULL if all rows are resident */
	gemp_row_cache cache;
	gemp_tiles tiles; /* the pieces of rows that the cache has; without columns: whole rows */
	gemp_fetch_stats stats;
} gemp_fetch;

/* Collective. Everything is borrowed. Either all views have edges, or no caller reads edges. */
gemp_code gemp_fetch_new(gemp_fetch **out, gemp_runtime *context, const gemp_shard *graph, const gemp_slot_order *order,
                         const gemp_residency *residency, const gemp_view *views, size_t view_count);
void gemp_fetch_free(gemp_fetch *fetch);
GEMP_RELEASE(gemp_fetch_free, gemp_fetch *)

/* Collective. Afterwards gemp_fetch_get has the rows whose bits are set in wanted[view] (by slot). tiles: only these
 * pieces of rows of other ranks are fetched and kept; the blocks are the same on all ranks. NULL, on all ranks: whole
 * rows. */
gemp_code gemp_fetch_rows(gemp_fetch *fetch, uint32_t *const *wanted, const gemp_tiles *tiles);

/* A resident row, or the cached pieces of a row; valid until the next gemp_fetch_rows. */
bool gemp_fetch_is_resident(const gemp_fetch *fetch, gemp_vertex slot);                      /* is the row resident? */
bool gemp_fetch_find(const gemp_fetch *fetch, size_t view, gemp_vertex slot, gemp_row *row); /* the same, and *row */
gemp_row gemp_fetch_get(const gemp_fetch *fetch, size_t view, gemp_vertex slot);
/* The length of a row of any rank: exact for resident rows, else an upper bound that exceeds it by an eighth at
 * most. */
uint64_t gemp_fetch_size(const gemp_fetch *fetch, size_t view, gemp_vertex slot);

/* Bytes of an entry of a row on a device: the neighbour, and its edge if edges are fetched. */
static inline uint64_t gemp_fetch_entry_bytes(const gemp_fetch *fetch)
{
	return sizeof(gemp_vertex) + (fetch->edges ? sizeof(gemp_edge) : 0);
}

#endif
