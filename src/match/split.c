#include "match/split.h"

#include "core/memory.h"

#include <string.h>

typedef struct cell {
	size_t first, end;  /* tasks */
	uint64_t low[GEMP_MAX_PATTERN_VERTICES], high[GEMP_MAX_PATTERN_VERTICES]; /* slots low .. high - 1 */
} cell;

struct gemp_split {
	gemp_split_base base;
	gemp_plan *plan;            /* the same, with more bitmaps; its views are the other's */
	gemp_candidates candidates; /* bits: the other's, or every */
	uint32_t *every;
	gemp_closure closure;
	gemp_reach *reach;
	gemp_search *search;
	gemp_vertex *slots, *ids;   /* [tasks.count * roots]; ids: of seeds */
	gemp_reach_tasks tasks;     /* the large ones */
	size_t count, room;
	cell *waiting;              /* the last comes next */
	bool there;                 /* a cell is at work: */
	cell now;
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
		step->candidates = true;
		if (!s->candidates.bits[step->vertex])
			s->candidates.bits[step->vertex] = s->every;
	}
	if (words && other->graph->vertices % 32)
		s->every[words - 1] = (UINT32_C(1) << other->graph->vertices % 32) - 1;
done:
	return code;
}

static gemp_code put(gemp_split *s, const cell *one)
{
	gemp_code code = GEMP_RESERVE(s->waiting, s->room, s->count + 1);
	if (code == GEMP_OK)
		s->waiting[s->count++] = *one;
	return code;
}

/* The large tasks, and a cell of them all. */
static gemp_code list_tasks(gemp_split *s)
{
	gemp_code code = GEMP_OK;
	const gemp_split_base *b = &s->base;
	size_t roots = s->closure.root_count;
	cell whole = { .end = b->large_count };
	GEMP_TRY(GEMP_NEW(s->slots, b->large_count * roots));
	GEMP_TRY(GEMP_NEW(s->ids, b->large_count * roots));
	for (size_t i = 0; i < b->large_count * roots; i++) {
		s->slots[i] = b->tasks->slots[b->large[i / roots] * roots + i % roots];
		s->ids[i] = b->search->order->id_of[s->slots[i]];
	}
	s->tasks = (gemp_reach_tasks){ s->slots, b->large_count };
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		whole.high[v] = b->search->graph->vertices;
	if (b->large_count)
		code = put(s, &whole);
done:
	return code;
}

gemp_code gemp_split_new(gemp_split **out, const gemp_split_base *base)
{
	gemp_code code = GEMP_OK;
	gemp_split *s = NULL;
	gemp_search *other = base->search;
	gemp_search_options options = *base->options;
	gemp_comm *comm = other->context->comm;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(s, 1)));
	s->base = *base;
	code = widen_plan(s);
	if (code == GEMP_OK) {
		gemp_closure_of(&s->closure, s->plan, !other->context->device->gpu);
		code = gemp_reach_new(&s->reach, &s->closure, base->fetch, base->bits, !s->plan->given);
	}
	if (code == GEMP_OK)
		code = list_tasks(s);
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_search_new(&s->search, other->context, other->graph, s->plan, other->order, base->residency, base->views,
	                         &s->candidates, &options));
	s->search->sink = other->sink;
	if (s->plan->given)
		gemp_search_seed(s->search, s->ids, s->tasks.count);
	else
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
	gemp_reach_free(split->reach);
	gemp_free(split->plan);
	gemp_free(split->every);
	gemp_free(split->slots);
	gemp_free(split->ids);
	gemp_free(split->waiting);
	gemp_free(split);
}

gemp_search *gemp_split_search(gemp_split *split)
{
	return split->search;
}

gemp_reach *gemp_split_reach(gemp_split *split)
{
	return split->reach;
}

/* CELLS. */
size_t gemp_split_left(const gemp_split *split)
{
	return split->count;
}

/* Can no match lie in it, as ranges must follow one another? */
static bool in_vain(const gemp_split *s, const cell *c)
{
	for (int v = 0; v < s->plan->vertex_count; v++)
		for (uint64_t left = s->closure.before[v]; left; left &= left - 1)
			if (c->low[v] + 1 >= c->high[__builtin_ctzll(left)])
				return true;
	return false;
}

void gemp_split_next(gemp_split *split)
{
	split->there = false;
	while (split->count && !split->there) {
		split->now = split->waiting[--split->count];
		split->there = !in_vain(split, &split->now);
	}
}

/* HALVING. */
static uint64_t row_bytes(const gemp_split *s, const gemp_closure_place *place, gemp_vertex slot)
{
	uint64_t entries = 0;
	for (uint32_t left = place->reads; left; left &= left - 1)
		entries += gemp_fetch_size(s->base.fetch, (size_t)__builtin_ctz(left), slot);
	return entries + 1;
}

/* What the rows of a place weigh up to a slot, or, that being none, in all; *at: the slot by which so much is passed. */
static uint64_t weigh(const gemp_split *s, size_t place, uint64_t until, gemp_vertex *at, size_t *images)
{
	uint64_t sum = 0;
	*images = 0;
	for (size_t w = 0; w < s->reach->words; w++)
		for (uint32_t left = s->reach->seen[place][w]; left; left &= left - 1) {
			*at = (gemp_vertex)(w * 32 + (size_t)__builtin_ctz(left));
			++*images;
			sum += row_bytes(s, &s->closure.places[place], *at);
			if (sum > until)
				return sum;
		}
	return sum;
}

/* The place whose rows weigh most, of those with several images. */
static bool find_heaviest(const gemp_split *s, size_t *heaviest, uint64_t *weight)
{
	*weight = 0;
	for (size_t i = s->closure.root_count; i < s->closure.count; i++) {
		gemp_vertex at;
		size_t images;
		uint64_t one = weigh(s, i, UINT64_MAX, &at, &images);
		if (images > 1 && one > *weight) {
			*weight = one;
			*heaviest = i;
		}
	}
	return *weight > 0;
}

static gemp_code too_large(const gemp_split *s)
{
	return gemp_fail(GEMP_ENOMEM, "rows of single vertices are longer than the %llu bytes that rounds have for them on %s; "
	                 "raise --row-cache or --device-memory, or, with several ranks, give --exchange push",
	                 (unsigned long long)s->base.budget, s->search->context->device->name);
}

/* The cell is cut where half of its heaviest place's rows are before, and the latter half waits. */
static gemp_code halve_ranges(gemp_split *s)
{
	size_t place = 0, images;
	uint64_t weight;
	gemp_vertex first = 0, at = 0;
	if (!find_heaviest(s, &place, &weight))
		return too_large(s);
	int v = s->closure.places[place].vertex;
	weigh(s, place, 0, &first, &images);
	weigh(s, place, weight / 2, &at, &images);
	at += at == first; /* both halves have an image */
	cell rest = s->now;
	rest.low[v] = s->now.high[v] = at;
	return put(s, &rest);
}

/* Measured: several tasks with narrower ranges cost more rounds, and walk the same rows more often. */
static gemp_code halve(gemp_split *s)
{
	cell rest = s->now;
	if (s->now.end - s->now.first == 1)
		return halve_ranges(s);
	rest.first = s->now.end = s->now.first + (s->now.end - s->now.first) / 2;
	return put(s, &rest);
}

static void set_ranges(gemp_split *s)
{
	memcpy(s->reach->low, s->now.low, sizeof s->now.low);
	memcpy(s->reach->high, s->now.high, sizeof s->now.high);
}

static void clear_need(gemp_split *s)
{
	for (size_t v = 0; v < s->plan->view_count; v++)
		memset(s->reach->need[v], 0, s->reach->words * sizeof **s->reach->need);
	s->reach->bytes = 0;
}

gemp_code gemp_split_reach_to(gemp_split *s, int depth)
{
	gemp_code code = GEMP_OK;
	if (s->there)
		set_ranges(s);
	while (s->there) {
		gemp_reach_all(s->reach, &s->tasks, s->now.first, s->now.end, depth);
		if (s->reach->bytes <= s->base.budget)
			break;
		GEMP_TRY(halve(s));
		set_ranges(s);
		s->there = !in_vain(s, &s->now);
	}
	if (!s->there)
		clear_need(s);
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

gemp_code gemp_split_part(gemp_split *s, gemp_part *part)
{
	gemp_code code = GEMP_OK;
	uint32_t *bits = NULL;
	size_t words = s->reach->words;
	*part = (gemp_part){ s->there ? s->now.first : 0, s->there ? s->now.end - s->now.first : 0 };
	if (!s->there)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(bits, words + 1));
	for (size_t i = (size_t)s->plan->root + 1; i < s->plan->step_count; i++) {
		int v = s->plan->steps[i].vertex;
		if (s->plan->steps[i].kind != GEMP_EXTEND)
			continue;
		memset(bits, 0, words * sizeof *bits);
		set_range(bits, s->now.low[v], s->now.high[v]);
		for (size_t w = 0; s->base.bits[v] && w < words; w++)
			bits[w] &= s->base.bits[v][w];
		GEMP_TRY(gemp_search_narrow(s->search, v, bits));
	}
done:
	gemp_free(bits);
	return code;
}
