/* fetch: rows of any rank, asked for by slot. Host only.
 *
 * Rows at hand (own ones and replicas) are read where they lie. Those of others are asked of their owners, each once,
 * and kept in a cache. An exchange has many steps: a rank asks for no more in one step than fits into its share of
 * gemp_limits.fetch_round bytes at each owner, so nobody sends or receives much more than that at a time. Requests
 * and replies are coded:
 *
 *   request  where pieces of rows are wanted: columns, of each view's blocks; for each view: number of slots, slots
 *   reply    the rows, or their pieces, in the order of the request, in blocks (row_blocks.h)
 *
 * How long the rows of others are is known by degree class, a byte a vertex and view.
 */

#ifndef GEMP_PARTITION_FETCH_FETCH_H
#define GEMP_PARTITION_FETCH_FETCH_H

#include "core/memory.h"
#include "partition/fetch/row_cache.h"
#include "partition/runtime.h"
#include "partition/views/view.h"

typedef struct gemp_fetch_stats {
	uint64_t rows;                 /* that came from others */
	uint64_t bytes, uncoded_bytes; /* sent by this rank: as they were coded, and in whole words */
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
	uint8_t **classes; /* [view_count][vertices] by slot: of the rows' sizes; NULL where all are at hand */
	gemp_row_cache cache;
	gemp_tiles tiles; /* what is held of rows; without columns: all of them */
	gemp_fetch_stats stats;
} gemp_fetch;

/* Collective. Everything is borrowed. Either all views have edges or none is asked for them. */
gemp_code gemp_fetch_new(gemp_fetch **out, gemp_runtime *context, const gemp_shard *graph, const gemp_slot_order *order,
                         const gemp_residency *residency, const gemp_view *at_hand, size_t view_count);
void gemp_fetch_free(gemp_fetch *fetch);
GEMP_RELEASE(gemp_fetch_free, gemp_fetch *)

/* Collective. Afterwards the rows whose bits are set in wanted[view] (by slot) can be got. tiles: the blocks are the
 * same on all ranks, and all have some or none; of rows that are not at hand only these pieces are held. NULL: whole
 * rows. */
gemp_code gemp_fetch_rows(gemp_fetch *fetch, uint32_t *const *wanted, const gemp_tiles *tiles);

/* A row at hand, or what is held of it; until the next rows are fetched. */
bool gemp_fetch_is_resident(const gemp_fetch *fetch, gemp_vertex slot);                      /* at hand? */
bool gemp_fetch_find(const gemp_fetch *fetch, size_t view, gemp_vertex slot, gemp_row *row); /* the same, and the row */
gemp_row gemp_fetch_get(const gemp_fetch *fetch, size_t view, gemp_vertex slot);
/* At least so many entries as a row has, whoever has it: exactly for rows at hand, else at most an eighth more. */
uint64_t gemp_fetch_size(const gemp_fetch *fetch, size_t view, gemp_vertex slot);

/* Bytes of an entry of a row on a device: the neighbour, and its edge if edges are fetched. */
static inline uint64_t gemp_fetch_entry_bytes(const gemp_fetch *fetch)
{
	return sizeof(gemp_vertex) + (fetch->edges ? sizeof(gemp_edge) : 0);
}

#endif
