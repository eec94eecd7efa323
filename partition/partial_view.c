#include "partition/partial_view.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { SLOTS = 1 << 14 }; /* that a thread takes at a time; a multiple of 32 */

/* FILLING. */
typedef struct filling {
	gemp_view *view;
	const gemp_fetch *fetch;
	size_t number;
	const uint32_t *wanted;
	const gemp_tiles *tiles;
	uint64_t *size; /* size[slot + 1]: begin, before it is added up */
} filling;

typedef void with_row(filling *f, gemp_vertex slot, const gemp_row *pieces, size_t count);

static void size_row(filling *f, gemp_vertex slot, const gemp_row *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		f->size[slot + 1] += pieces[i].size;
}

static void copy_row(filling *f, gemp_vertex slot, const gemp_row *pieces, size_t count)
{
	uint64_t at = f->view->begin[slot];
	for (size_t i = 0; i < count; i++) {
		memcpy(f->view->neighbours + at, pieces[i].near, pieces[i].size * sizeof *pieces[i].near);
		if (pieces[i].edges && f->view->edges)
			memcpy(f->view->edges + at, pieces[i].edges, pieces[i].size * sizeof *pieces[i].edges);
		at += pieces[i].size;
	}
}

/* Rows of others are held without what is not wanted. */
static void for_row(filling *f, gemp_vertex slot, uint64_t columns, with_row *body)
{
	gemp_row row = gemp_fetch_get(f->fetch, f->number, slot), pieces[GEMP_MOST_PIECES];
	if (!f->tiles || !gemp_fetch_here(f->fetch, slot))
		body(f, slot, &row, 1);
	else
		body(f, slot, pieces, gemp_tiles_cut(f->tiles, columns, row, pieces));
}

static void for_piece(filling *f, size_t piece, with_row *body)
{
	size_t words = (f->fetch->graph->vertices + 31) / 32, end = (piece + 1) * (SLOTS / 32), block = 0;
	if (f->tiles)
		block = gemp_tiles_block(f->tiles, (gemp_vertex)(piece * SLOTS));
	for (size_t w = piece * (SLOTS / 32); w < end && w < words; w++)
		for (uint32_t left = f->wanted[w]; left; left &= left - 1) {
			gemp_vertex slot = (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left));
			while (f->tiles && slot >= f->tiles->border[block + 1])
				block++;
			for_row(f, slot, f->tiles ? f->tiles->columns[f->number][block] : 0, body);
		}
}

static void size_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	for_piece(context, piece, size_row);
}

static void copy_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	for_piece(context, piece, copy_row);
}

gemp_code gemp_partial_view_fill(gemp_view *view, gemp_partial_room *room, const gemp_fetch *fetch, size_t number,
                                 const uint32_t *wanted, const gemp_tiles *tiles)
{
	gemp_code code = GEMP_OK;
	size_t vertices = fetch->graph->vertices, pieces = (vertices + SLOTS - 1) / SLOTS;
	filling f = { .view = view, .fetch = fetch, .number = number, .wanted = wanted, .tiles = tiles };
	gemp_view_forget(view);
	view->rows = vertices;
	if (!view->begin)
		GEMP_TRY(GEMP_NEW(view->begin, vertices + 1));
	f.size = view->begin;
	memset(view->begin, 0, (vertices + 1) * sizeof *view->begin);
	gemp_parallel_for(pieces, size_piece, &f);
	for (size_t slot = 0; slot < vertices; slot++)
		view->begin[slot + 1] += view->begin[slot];
	GEMP_TRY(GEMP_RESERVE(view->neighbours, room->near, view->begin[vertices] + 1));
	if (fetch->at_hand[number].edges)
		GEMP_TRY(GEMP_RESERVE(view->edges, room->edges, view->begin[vertices] + 1));
	gemp_parallel_for(pieces, copy_piece, &f);
done:
	return code;
}

/* NARROWING. */
typedef struct narrowing {
	gemp_view *out;
	const gemp_view *view;
	const gemp_residency *residency;
	gemp_entries entries;
	const uint32_t *bits;
} narrowing;

static bool stays(const narrowing *n, gemp_vertex own, gemp_vertex slot)
{
	if ((n->entries == GEMP_ENTRIES_BELOW && slot >= own) || (n->entries == GEMP_ENTRIES_ABOVE && slot <= own))
		return false;
	return !n->bits || n->bits[slot / 32] >> slot % 32 & 1;
}

static gemp_vertex slot_of_row(const gemp_residency *residency, size_t row)
{
	if (row < residency->hot)
		return (gemp_vertex)row;
	return residency->own_slots[residency->own_count - residency->own + row - residency->hot];
}

static void narrow_row(const narrowing *n, size_t row, bool copy)
{
	gemp_vertex own = slot_of_row(n->residency, row);
	uint64_t kept = 0, to = copy ? n->out->begin[row] : 0;
	for (uint64_t i = n->view->begin[row]; i < n->view->begin[row + 1]; i++) {
		gemp_vertex slot = n->view->neighbours[i];
		if (!stays(n, own, slot))
			continue;
		if (copy) {
			n->out->neighbours[to + kept] = slot;
			if (n->view->edges)
				n->out->edges[to + kept] = n->view->edges[i];
		}
		kept++;
	}
	if (!copy)
		n->out->begin[row + 1] = kept;
}

static void narrow_piece(narrowing *n, size_t piece, bool copy)
{
	for (size_t row = piece * SLOTS; row < (piece + 1) * SLOTS && row < n->view->rows; row++)
		narrow_row(n, row, copy);
}

static void count_narrowed(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	narrow_piece(context, piece, false);
}

static void copy_narrowed(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	narrow_piece(context, piece, true);
}

gemp_code gemp_view_narrow(gemp_view *out, const gemp_view *view, const gemp_residency *residency, gemp_entries entries,
                           const uint32_t *bits)
{
	gemp_code code = GEMP_OK;
	narrowing n = { out, view, residency, entries, bits };
	size_t pieces = (view->rows + SLOTS - 1) / SLOTS;
	*out = (gemp_view){ .rows = view->rows, .loops = view->loops };
	GEMP_TRY(GEMP_NEW(out->begin, view->rows + 1));
	gemp_parallel_for(pieces, count_narrowed, &n);
	for (size_t row = 0; row < view->rows; row++)
		out->begin[row + 1] += out->begin[row];
	GEMP_TRY(GEMP_NEW(out->neighbours, out->begin[view->rows] + 1));
	if (view->edges)
		GEMP_TRY(GEMP_NEW(out->edges, out->begin[view->rows] + 1));
	gemp_parallel_for(pieces, copy_narrowed, &n);
done:
	if (code != GEMP_OK)
		gemp_view_free(out);
	return code;
}
