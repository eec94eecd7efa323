#include "match/split.h"

#include "core/memory.h"

#include <string.h>

struct gemp_split {
	gemp_split_base base;
	gemp_plan *plan;            /* the same, with more bitmaps; its views are the other's */
	gemp_candidates candidates; /* bits: the other's, or every */
	uint32_t *every;
	gemp_closure closure;
	gemp_grid *grid;
	gemp_search *search;
	gemp_vertex *slots;         /* [tasks.count * roots] */
	gemp_reach_tasks tasks;     /* the large ones */
	gemp_vertex *seeds;         /* [tasks.count * roots] ids of those of the cell at work */
	uint32_t *need[GEMP_MAX_VIEWS];
	uint32_t *bits;             /* [words] of a vertex, on their way to the device */
	size_t count, room;
	gemp_cell *waiting;         /* the last comes next */
	bool there;                 /* a cell is at work: */
	gemp_cell now;
	gemp_cell bitmaps;          /* whose the search's bitmaps are */
};

/* MAKING. */
static gemp_code widen_plan(gemp_split *s)
{
	gemp_code code = GEMP_OK;
	const gemp_search *other = s->base.search;
	size_t words = s->base.candidates->words;
	GEMP_TRY(GEMP_NEW(s->plan, 1));
	GEMP_TRY(GEMP_NEW(s->every, words + 1));
	memset(s->every, 255, words * sizeof *s->every);
	*s->plan = *other->plan;
	s->candidates = *s->base.candidates;
	for (size_t i = (size_t)s->plan->root + 1; i < s->plan->step_count; i++) {
		gemp_step *step = &s->plan->steps[i];
		if (step->kind != GEMP_EXTEND)
			continue;
		if (!step->candidates)
			s->plan->ranges |= UINT64_C(1) << step->vertex;
		step->candidates = true;
		if (!s->candidates.bits[step->vertex])
			s->candidates.bits[step->vertex] = s->every;
	}
	if (words && other->graph->vertices % 32)
		s->every[words - 1] = (UINT32_C(1) << other->graph->vertices % 32) - 1;
done:
	return code;
}

static gemp_code put(gemp_split *s, const gemp_cell *one)
{
	gemp_code code = GEMP_RESERVE(s->waiting, s->room, s->count + 1);
	if (code == GEMP_OK)
		s->waiting[s->count++] = *one;
	return code;
}

static gemp_code list_tasks(gemp_split *s)
{
	gemp_code code = GEMP_OK;
	const gemp_split_base *b = &s->base;
	size_t roots = s->closure.root_count, words = s->base.candidates->words;
	GEMP_TRY(GEMP_NEW(s->slots, b->large_count * roots + 1));
	if (s->plan->given)
		GEMP_TRY(GEMP_NEW(s->seeds, b->large_count * roots + 1));
	for (size_t i = 0; i < b->large_count * roots; i++)
		s->slots[i] = b->tasks->slots[b->large[i / roots] * roots + i % roots];
	s->tasks = (gemp_reach_tasks){ s->slots, b->large_count };
	GEMP_TRY(GEMP_NEW(s->bits, words + 1));
	for (size_t v = 0; v < s->plan->view_count; v++)
		GEMP_TRY(GEMP_NEW(s->need[v], words + 1));
done:
	return code;
}

gemp_code gemp_split_new(gemp_split **out, const gemp_split_base *base)
{
	gemp_code code = GEMP_OK;
	gemp_split *s = NULL;
	gemp_cell whole;
	gemp_search *other = base->search;
	gemp_search_options options = *base->options;
	gemp_comm *comm = other->context->comm;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(s, 1)));
	s->base = *base;
	code = widen_plan(s);
	if (code == GEMP_OK) {
		gemp_closure_of(&s->closure, s->plan, !other->context->device->gpu);
		code = list_tasks(s);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_grid_new(&s->grid, s->plan, &s->closure, base->fetch, base->bits, &s->tasks));
	gemp_grid_whole(s->grid, &whole);
	if (s->tasks.count)
		code = put(s, &whole);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_search_new(&s->search, other->context, other->graph, s->plan, other->order, base->residency, base->views,
	                         &s->candidates, &options));
	s->search->sink = other->sink;
	if (!s->plan->given)
		gemp_search_pivots(s->search, s->slots, s->tasks.count);
	*out = s;
	s = NULL;
done:
	gemp_split_free(s);
	return code;
}

void gemp_split_free(gemp_split *split)
{
	if (!split)
		return;
	gemp_search_free(split->search);
	gemp_grid_free(split->grid);
	for (size_t v = 0; v < GEMP_MAX_VIEWS; v++)
		gemp_free(split->need[v]);
	gemp_free(split->bits);
	gemp_free(split->plan);
	gemp_free(split->every);
	gemp_free(split->slots);
	gemp_free(split->seeds);
	gemp_free(split->waiting);
	gemp_free(split);
}

gemp_search *gemp_split_search(gemp_split *split)
{
	return split->search;
}

uint32_t *const *gemp_split_need(const gemp_split *split)
{
	return split->need;
}

const gemp_tiles *gemp_split_tiles(const gemp_split *split)
{
	return &split->grid->tiles;
}

/* TASKS of a cell. */
static bool in_cell(const gemp_split *s, const gemp_cell *cell, size_t task)
{
	const gemp_vertex *border = s->grid->tiles.border;
	size_t roots = s->closure.root_count;
	for (size_t i = 0; i < roots; i++) {
		int v = s->closure.places[i].vertex;
		gemp_vertex slot = s->slots[task * roots + i];
		if (slot < border[cell->low[v]] || slot >= border[cell->high[v]])
			return false;
	}
	return true;
}

/* Of pivots, which ascend: the first that is not below a slot. */
static size_t first_pivot(const gemp_split *s, gemp_vertex slot)
{
	size_t low = 0, high = s->tasks.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->slots[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static gemp_part pivots_of(const gemp_split *s, const gemp_cell *cell)
{
	const gemp_vertex *border = s->grid->tiles.border;
	size_t first = first_pivot(s, border[cell->low[s->plan->pivot]]);
	return (gemp_part){ first, first_pivot(s, border[cell->high[s->plan->pivot]]) - first };
}

static bool has_tasks(const gemp_split *s, const gemp_cell *cell)
{
	if (!s->plan->given)
		return pivots_of(s, cell).count > 0;
	for (size_t i = 0; i < s->tasks.count; i++)
		if (in_cell(s, cell, i))
			return true;
	return false;
}

/* CELLS. */
size_t gemp_split_left(const gemp_split *split)
{
	return split->count;
}

static uint64_t entry_bytes(const gemp_split *s)
{
	return sizeof(gemp_vertex) + (s->base.fetch->edges ? sizeof(gemp_edge) : 0);
}

static gemp_code too_large(const gemp_split *s)
{
	return gemp_fail(GEMP_ENOMEM, "pieces of rows of single vertices are longer than the %llu bytes that rounds have for them "
	                 "on %s; raise --row-cache or --device-memory, or, with several ranks, give --exchange push",
	                 (unsigned long long)s->base.budget, s->search->context->device->name);
}

gemp_code gemp_split_next(gemp_split *s)
{
	gemp_code code = GEMP_OK;
	gemp_cell other;
	s->there = false;
	while (s->count && !s->there) {
		s->now = s->waiting[--s->count];
		while (!(s->there = gemp_grid_entries(s->grid, &s->now) * entry_bytes(s) <= s->base.budget)) {
			if (gemp_grid_vain(s->grid, &s->now))
				break;
			if (!gemp_grid_halve(s->grid, &s->now, &other))
				return too_large(s);
			GEMP_TRY(put(s, &other));
		}
		s->there = s->there && !gemp_grid_vain(s->grid, &s->now) && has_tasks(s, &s->now);
	}
	if (s->there)
		gemp_grid_rows(s->grid, s->need);
	for (size_t v = 0; v < s->plan->view_count && !s->there; v++)
		memset(s->need[v], 0, s->grid->words * sizeof *s->need[v]);
done:
	return code;
}

/* THE SEARCH. */
static void set_range(uint32_t *bits, uint64_t low, uint64_t high)
{
	for (uint64_t at = low; at < high;) {
		if (at % 32 == 0 && high - at >= 32) {
			bits[at / 32] = ~UINT32_C(0);
			at += 32;
		} else {
			bits[at / 32] |= UINT32_C(1) << at % 32;
			at++;
		}
	}
}

/* Bitmaps stay on the device until their range changes. At first there are none: no range is empty. */
static gemp_code set_bitmap(gemp_split *s, int v)
{
	size_t words = s->grid->words;
	if (s->bitmaps.low[v] == s->now.low[v] && s->bitmaps.high[v] == s->now.high[v])
		return GEMP_OK;
	s->bitmaps.low[v] = s->now.low[v];
	s->bitmaps.high[v] = s->now.high[v];
	if (s->plan->ranges >> v & 1 && !s->search->nested)
		return gemp_search_range(s->search, v, s->grid->tiles.border[s->now.low[v]], s->grid->tiles.border[s->now.high[v]]);
	memset(s->bits, 0, words * sizeof *s->bits);
	set_range(s->bits, s->grid->tiles.border[s->now.low[v]], s->grid->tiles.border[s->now.high[v]]);
	for (size_t w = 0; s->base.bits[v] && w < words; w++)
		s->bits[w] &= s->base.bits[v][w];
	return gemp_search_narrow(s->search, v, s->bits);
}

static gemp_part seeds_of(gemp_split *s)
{
	size_t count = 0, roots = s->closure.root_count;
	for (size_t i = 0; i < s->tasks.count; i++) {
		if (!in_cell(s, &s->now, i))
			continue;
		for (size_t r = 0; r < roots; r++)
			s->seeds[count * roots + r] = s->base.search->order->id_of[s->slots[i * roots + r]];
		count++;
	}
	gemp_search_seed(s->search, s->seeds, count);
	return (gemp_part){ 0, count };
}

gemp_code gemp_split_part(gemp_split *s, gemp_part *part)
{
	gemp_code code = GEMP_OK;
	*part = (gemp_part){ 0, 0 };
	if (!s->there) {
		if (s->plan->given)
			gemp_search_seed(s->search, s->seeds, 0);
		return GEMP_OK;
	}
	for (size_t i = (size_t)s->plan->root + 1; i < s->plan->step_count; i++)
		if (s->plan->steps[i].kind == GEMP_EXTEND)
			GEMP_TRY(set_bitmap(s, s->plan->steps[i].vertex));
	*part = s->plan->given ? seeds_of(s) : pivots_of(s, &s->now);
done:
	return code;
}
