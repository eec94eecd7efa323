#include "match/reach.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { ROW_NOTE = 1 << 8 }; /* a note's upper half: a place, or ROW_NOTE + a view */

gemp_code gemp_reach_new(gemp_reach **out, const gemp_closure *closure, const gemp_fetch *fetch,
                         uint32_t *const *candidates, bool pivots)
{
	gemp_code code = GEMP_OK;
	gemp_reach *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (gemp_reach){ .closure = closure, .fetch = fetch, .candidates = candidates, .pivots = pivots,
		.words = (fetch->graph->vertices + 31) / 32 };
	for (size_t i = 0; i < closure->count; i++)
		GEMP_TRY(GEMP_NEW(r->seen[i], r->words));
	for (size_t v = 0; v < fetch->view_count; v++)
		GEMP_TRY(GEMP_NEW(r->need[v], r->words));
	*out = r;
	r = NULL;
done:
	gemp_reach_free(r);
	return code;
}

void gemp_reach_free(gemp_reach *reach)
{
	if (!reach)
		return;
	for (size_t i = 0; i < GEMP_MOST_PLACES; i++)
		gemp_free(reach->seen[i]);
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++)
		gemp_free(reach->need[v]);
	gemp_free(reach->notes);
	gemp_free(reach);
}

/* NOTES, by which a task that does not fit is taken back. */
static bool get(const uint32_t *bits, gemp_vertex slot)
{
	return bits[slot / 32] >> slot % 32 & 1;
}

static void note(gemp_reach *r, uint32_t *bits, uint64_t what, gemp_vertex slot)
{
	bits[slot / 32] |= UINT32_C(1) << slot % 32;
	if (GEMP_RESERVE(r->notes, r->note_capacity, r->noted + 1) != GEMP_OK) {
		r->failed = r->full = true;
		return;
	}
	r->notes[r->noted++] = what << 32 | slot;
}

static void take_back(gemp_reach *r, uint64_t bytes)
{
	while (r->noted) {
		uint64_t one = r->notes[--r->noted], what = one >> 32;
		gemp_vertex slot = (gemp_vertex)one;
		uint32_t *bits = what & ROW_NOTE ? r->need[what - ROW_NOTE] : r->seen[what];
		bits[slot / 32] &= ~(UINT32_C(1) << slot % 32);
	}
	r->bytes = bytes;
}

/* WALKING. */
static bool passes(const gemp_reach *r, const gemp_closure_place *place, gemp_vertex parent, gemp_vertex slot)
{
	return gemp_place_takes(place, parent, slot, r->first, r->last, r->candidates[place->vertex]);
}

static uint64_t entry_bytes(const gemp_reach *r)
{
	return sizeof(gemp_vertex) + (r->fetch->edges ? sizeof(gemp_edge) : 0);
}

static void visit(gemp_reach *r, size_t at, gemp_vertex slot)
{
	const gemp_closure *c = r->closure;
	uint64_t entry = entry_bytes(r);
	note(r, r->seen[at], at, slot);
	for (uint32_t left = c->places[at].reads; left && !r->full; left &= left - 1) {
		size_t view = (size_t)__builtin_ctz(left);
		if (get(r->need[view], slot))
			continue;
		note(r, r->need[view], ROW_NOTE + view, slot);
		r->bytes += gemp_fetch_size(r->fetch, view, slot) * entry;
		r->full |= r->bytes > r->budget;
	}
	if (c->places[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count && !r->full; child++) {
		if (c->places[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->places[child].view, slot);
		for (size_t i = 0; i < row.size && !r->full; i++)
			if (!get(r->seen[child], row.near[i]) && passes(r, &c->places[child], slot, row.near[i]))
				visit(r, child, row.near[i]);
	}
}

static void begin_with(gemp_reach *r, int depth)
{
	r->depth = depth;
	for (size_t i = 0; i < r->closure->count; i++)
		memset(r->seen[i], 0, r->words * sizeof **r->seen);
	for (size_t v = 0; v < r->fetch->view_count; v++)
		memset(r->need[v], 0, r->words * sizeof **r->need);
	r->bytes = 0;
	r->failed = false;
}

static bool take(gemp_reach *r, const gemp_vertex *slots)
{
	uint64_t before = r->bytes;
	r->noted = 0;
	r->full = false;
	for (size_t i = 0; i < r->closure->root_count && !r->full; i++)
		if (!get(r->seen[i], slots[i]))
			visit(r, i, slots[i]);
	if (r->full)
		take_back(r, before);
	return !r->full;
}

static void bound(gemp_reach *r, const gemp_reach_tasks *tasks, size_t begin, size_t end)
{
	if (!r->pivots || begin == end)
		return;
	r->first = tasks->slots[begin];
	r->last = tasks->slots[end - 1];
}

gemp_code gemp_reach_to(gemp_reach *r, const gemp_reach_tasks *tasks, size_t *begin, size_t *end, int depth,
                        uint64_t budget, uint64_t most, size_t *alone, size_t *alone_count)
{
	size_t roots = r->closure->root_count, at = *begin;
	begin_with(r, depth);
	bound(r, tasks, *begin, *end);
	for (; at < *end && !r->failed; at++) {
		r->budget = at == *begin ? most : budget;
		if (take(r, tasks->slots + at * roots))
			continue;
		if (at > *begin || r->failed)
			break;
		alone[(*alone_count)++] = at;
		++*begin;
	}
	*end = at;
	return r->failed ? GEMP_ENOMEM : GEMP_OK;
}

/* ALL OF THEM, on all cores: bits are set, and nothing is noted. */
enum { TASKS = 64 }; /* that a thread takes at a time */

typedef struct marking {
	gemp_reach *r;
	const gemp_vertex *slots;
	size_t count;
} marking;

/* Was it set before? Most are, and reading does not take the line from others. */
static bool set(uint32_t *bits, gemp_vertex slot)
{
	uint32_t bit = UINT32_C(1) << slot % 32;
	return __atomic_load_n(&bits[slot / 32], __ATOMIC_RELAXED) & bit ||
	       __atomic_fetch_or(&bits[slot / 32], bit, __ATOMIC_RELAXED) & bit;
}

static void mark(gemp_reach *r, size_t at, gemp_vertex slot)
{
	const gemp_closure *c = r->closure;
	for (uint32_t left = c->places[at].reads; left; left &= left - 1)
		set(r->need[__builtin_ctz(left)], slot);
	if (c->places[at].level == r->depth)
		return;
	for (size_t child = at + 1; child < c->count; child++) {
		if (c->places[child].parent != (int)at)
			continue;
		gemp_row row = gemp_fetch_get(r->fetch, (size_t)c->places[child].view, slot);
		for (size_t i = 0; i < row.size; i++)
			if (passes(r, &c->places[child], slot, row.near[i]) && !set(r->seen[child], row.near[i]))
				mark(r, child, row.near[i]);
	}
}

static void mark_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	marking *m = context;
	size_t roots = m->r->closure->root_count;
	for (size_t at = piece * TASKS; at < (piece + 1) * TASKS && at < m->count; at++)
		for (size_t i = 0; i < roots; i++)
			if (!set(m->r->seen[i], m->slots[at * roots + i]))
				mark(m->r, i, m->slots[at * roots + i]);
}

static uint64_t bytes_needed(const gemp_reach *r)
{
	uint64_t entries = 0;
	for (size_t v = 0; v < r->fetch->view_count; v++)
		for (size_t w = 0; w < r->words; w++)
			for (uint32_t left = r->need[v][w]; left; left &= left - 1)
				entries += gemp_fetch_size(r->fetch, v, (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left)));
	return entries * entry_bytes(r);
}

void gemp_reach_all(gemp_reach *r, const gemp_reach_tasks *tasks, size_t begin, size_t end, int depth)
{
	marking m = { r, tasks->slots + begin * r->closure->root_count, end - begin };
	begin_with(r, depth);
	bound(r, tasks, begin, end);
	gemp_parallel_for((m.count + TASKS - 1) / TASKS, mark_piece, &m);
	r->bytes = bytes_needed(r);
}
