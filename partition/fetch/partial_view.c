/* Views in which only some rows are filled, and views without some entries. Both are made in two passes over chunks of
 * slots. The first pass finds sizes, a prefix sum turns sizes into places, and the second pass copies. Chunks write
 * disjoint ranges, so no locks are needed. */

#include "partition/fetch/partial_view.h"

#include "core/bitset.h"
#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { SLOTS = 1 << 12 }; /* slots that a thread takes at a time; a multiple of 32 */

/* After the first pass begin[slot + 1] has the size of the row in its low bits. The high bits have the offset of the
 * row's only piece in the whole row. The second pass copies each row. SIZE_BITS and PLACE_BITS are the numbers of low
 * and high bits. */
enum { SIZE_BITS = 40, PLACE_BITS = 24 };
static const uint64_t size_mask = (UINT64_C(1) << SIZE_BITS) - 1, no_place = (UINT64_C(1) << PLACE_BITS) - 1;

/* A view while the wanted rows are copied into it, chunk by chunk of slots. */
typedef struct partial_fill {
	gemp_view *view;
	const gemp_fetch *fetch;
	size_t number;
	const uint32_t *wanted;
	const gemp_tiles *tiles;
	/* [chunks + 1] after the first pass at[c + 1] is the number of entries of chunk c; then at[c] is the place of its
	 * first entry */
	uint64_t *at;
} partial_fill;

/* Resident rows are cut into the wanted pieces. A cached row has only the wanted pieces already. */
static size_t cut_row(const partial_fill *f, gemp_vertex slot, size_t block, gemp_row *row,
                      gemp_row pieces[GEMP_MAX_TILE_PIECES])
{
	if (gemp_fetch_find(f->fetch, f->number, slot, row) && f->tiles)
		return gemp_tiles_cut(f->tiles, f->tiles->columns[f->number][block], *row, pieces);
	pieces[0] = *row;
	return 1;
}

/* Returns the size of a wanted row and the offset of its only nonempty piece, so the second pass need not cut the row
 * again. */
static uint64_t size_row(const partial_fill *f, gemp_vertex slot, size_t block)
{
	gemp_row row, pieces[GEMP_MAX_TILE_PIECES];
	size_t count = cut_row(f, slot, block, &row, pieces), some = 0, only = 0, size = 0;
	for (size_t i = 0; i < count; i++) {
		size += pieces[i].size;
		some += pieces[i].size > 0;
		only = pieces[i].size ? (size_t)(pieces[i].neighbours - row.neighbours) : only;
	}
	return size | (some == 1 && only < no_place ? only : no_place) << SIZE_BITS;
}

/* The size of an unwanted row is 0. A chunk of slots is a whole number of words of the bitmap. */
static void size_rows(void *context, size_t chunk, size_t first, size_t end)
{
	partial_fill *f = context;
	size_t block = f->tiles ? gemp_tiles_block(f->tiles, (gemp_vertex)first) : 0;
	memset(f->view->begin + first + 1, 0, (end - first) * sizeof *f->view->begin);
	for (size_t w = first / 32; w * 32 < end; w++)
		for (uint32_t left = f->wanted[w]; left; left &= left - 1) {
			gemp_vertex slot = (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left));
			while (f->tiles && slot >= f->tiles->bounds[block + 1])
				block++;
			f->view->begin[slot + 1] = size_row(f, slot, block);
			f->at[chunk + 1] += f->view->begin[slot + 1] & size_mask;
		}
}

/* Copies neighbours and, if both the row and the view have edges, edge numbers. */
static void copy_piece(const partial_fill *f, uint64_t at, const gemp_row *row, size_t from, size_t size)
{
	memcpy(f->view->neighbours + at, row->neighbours + from, size * sizeof *row->neighbours);
	if (row->edges && f->view->edges)
		memcpy(f->view->edges + at, row->edges + from, size * sizeof *row->edges);
}

/* A row with several pieces is cut again. Such rows are rare. */
static void copy_row(const partial_fill *f, gemp_vertex slot, uint64_t at, uint64_t size, uint64_t place)
{
	gemp_row row, pieces[GEMP_MAX_TILE_PIECES];
	if (place != no_place) {
		gemp_fetch_find(f->fetch, f->number, slot, &row);
		copy_piece(f, at, &row, place, size);
		return;
	}
	size_t count = cut_row(f, slot, f->tiles ? gemp_tiles_block(f->tiles, slot) : 0, &row, pieces);
	for (size_t i = 0; i < count; i++) {
		copy_piece(f, at, &pieces[i], 0, pieces[i].size);
		at += pieces[i].size;
	}
}

/* Replaces the sizes in begin[] by the ends of the rows. */
static void copy_rows(void *context, size_t chunk, size_t first, size_t end)
{
	partial_fill *f = context;
	uint64_t at = f->at[chunk], *begin = f->view->begin;
	for (size_t slot = first; slot < end; slot++) {
		uint64_t size = begin[slot + 1] & size_mask;
		if (size)
			copy_row(f, (gemp_vertex)slot, at, size, begin[slot + 1] >> SIZE_BITS);
		at += size;
		begin[slot + 1] = at;
	}
}

/* The arrays of the view are reused by the next call and only grow. After a failure all rows are empty. */
gemp_code gemp_partial_view_fill(gemp_view *view, gemp_partial_capacity *room, const gemp_fetch *fetch, size_t number,
                                 const uint32_t *wanted, const gemp_tiles *tiles)
{
	gemp_code code = GEMP_OK;
	size_t vertices = fetch->graph->vertex_count, chunks = (vertices + SLOTS - 1) / SLOTS;
	partial_fill f = { .view = view, .fetch = fetch, .number = number, .wanted = wanted, .tiles = tiles };
	gemp_view_unload(view);
	view->rows = vertices;
	if (!view->begin)
		GEMP_TRY_DONE(GEMP_NEW(view->begin, vertices + 1));
	GEMP_TRY_DONE(GEMP_NEW(f.at, chunks + 1));
	gemp_for_chunks(vertices, SLOTS, size_rows, &f);
	gemp_prefix_inclusive(f.at, chunks + 1);
	uint64_t entries = f.at[chunks];
	GEMP_TRY_DONE(GEMP_RESERVE(view->neighbours, room->neighbours, entries + 1));
	if (fetch->resident_views[number].edges)
		GEMP_TRY_DONE(GEMP_RESERVE(view->edges, room->edges, entries + 1));
	gemp_for_chunks(vertices, SLOTS, copy_rows, &f);
done:
	if (code != GEMP_OK && view->begin)
		memset(view->begin, 0, (vertices + 1) * sizeof *view->begin);
	gemp_free(f.at);
	return code;
}

/* The rows [first, end) of a copy of a view without the entries that no search reads. */
typedef struct entry_filter {
	gemp_view *out;
	const gemp_view *view;
	const gemp_residency *residency;
	gemp_row_part entries;
	const uint32_t *bits;
	size_t first;
	uint64_t *ends; /* [end - first + 1] after the first pass the sizes of the rows, and then their ends */
} entry_filter;

/* Order restrictions compare slots, so a search may never read the entries on one side of the row's own slot. */
static bool stays(const entry_filter *n, gemp_vertex own, gemp_vertex slot)
{
	if ((n->entries == GEMP_ENTRIES_BELOW && slot >= own) || (n->entries == GEMP_ENTRIES_ABOVE && slot <= own))
		return false;
	return !n->bits || gemp_bits32_test(n->bits, slot);
}

/* Resident rows are the rows of the hot slots, followed by the rows of the own slots that are not hot. */
static gemp_vertex slot_of_row(const gemp_residency *residency, size_t row)
{
	if (row < residency->hot)
		return (gemp_vertex)row;
	return residency->own_slots[residency->own_count - residency->own + row - residency->hot];
}

/* First pass: counts the entries that stay in each row. */
static void count_kept(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const entry_filter *n = context;
	for (size_t row = n->first + begin; row < n->first + end; row++) {
		gemp_vertex own = slot_of_row(n->residency, row);
		for (uint64_t i = n->view->begin[row]; i < n->view->begin[row + 1]; i++)
			n->ends[row - n->first + 1] += stays(n, own, n->view->neighbours[i]);
	}
}

/* Second pass: copies the entries that stay. */
static void copy_kept(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const entry_filter *n = context;
	uint64_t to = n->out->begin[n->first + begin];
	for (size_t row = n->first + begin; row < n->first + end; row++) {
		gemp_vertex own = slot_of_row(n->residency, row);
		for (uint64_t i = n->view->begin[row]; i < n->view->begin[row + 1]; i++) {
			if (!stays(n, own, n->view->neighbours[i]))
				continue;
			if (n->view->edges)
				n->out->edges[to] = n->view->edges[i];
			n->out->neighbours[to++] = n->view->neighbours[i];
		}
	}
}

/* Local. Finds the ends of the filtered rows [first, end), relative to the first of them. */
static gemp_code find_ends(entry_filter *n, size_t end)
{
	GEMP_TRY(GEMP_NEW(n->ends, end - n->first + 1));
	gemp_for_chunks(end - n->first, SLOTS, count_kept, n);
	gemp_prefix_inclusive(n->ends, end - n->first + 1);
	return GEMP_OK;
}

/* Collective. Each rank of a node makes its range of the rows. */
static gemp_code filter_shared(entry_filter *n, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	const gemp_view *view = n->view;
	uint64_t kept, before, all;
	size_t end;
	gemp_shared_range(&view->shared, view->rows, &n->first, &end);
	GEMP_TRY_DONE(gemp_comm_agree(comm, find_ends(n, end)));
	kept = n->ends[end - n->first];
	gemp_shared_sums(&view->shared, &kept, &before, &all, 1);
	if (!gemp_view_share(n->out, comm, view->rows, (size_t)all, view->edges != NULL))
		goto done;
	for (size_t row = n->first; row < end + (end == view->rows); row++) {
		n->out->begin[row] = before + n->ends[row - n->first];
		n->out->begin32[row] = (uint32_t)n->out->begin[row];
	}
	gemp_for_chunks(end - n->first, SLOTS, copy_kept, n);
	gemp_shared_fence(&n->out->shared);
done:
	gemp_free(n->ends);
	return code;
}

/* Local. One element more than needed is allocated, as a buffer on a device cannot be empty. */
static gemp_code filter_own(entry_filter *n)
{
	gemp_view *out = n->out;
	GEMP_TRY(find_ends(n, n->view->rows));
	out->rows = n->view->rows;
	out->begin = n->ends;
	GEMP_TRY(GEMP_NEW(out->neighbours, out->begin[out->rows] + 1));
	if (n->view->edges)
		GEMP_TRY(GEMP_NEW(out->edges, out->begin[out->rows] + 1));
	gemp_for_chunks(out->rows, SLOTS, copy_kept, n);
	return GEMP_OK;
}

gemp_code gemp_view_filter_entries(gemp_view *out, const gemp_comm *comm, const gemp_view *view,
                                   const gemp_residency *residency, gemp_row_part entries, const uint32_t *bits)
{
	entry_filter n = { .out = out, .view = view, .residency = residency, .entries = entries, .bits = bits };
	*out = (gemp_view){ 0 };
	gemp_code code = view->shared.bytes ? filter_shared(&n, comm) : gemp_comm_agree(comm, filter_own(&n));
	out->loops = view->loops;
	if (code != GEMP_OK)
		gemp_view_free(out);
	return code;
}
