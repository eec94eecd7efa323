/* Groups of rows that agree in the numbers before one are cut into buckets by that number, until they are small; small
 * groups are merged, each by one thread. Numbers are spread over the range that a group has of them, so that a
 * column with few values or with all in one place costs a pass, not a sort of everything by one thread. */

#include "transform/conflicts/tuple_sort.h"

#include "core/memory.h"
#include "core/threads.h"

#include <stdbool.h>
#include <string.h>

enum { BUCKETS = 2048, SMALL = 1 << 13, RUN = 12 };

typedef struct item {
	uint64_t key; /* the number that this group is sorted by */
	size_t row;
} item;

typedef struct group {
	size_t begin, count, depth; /* of the number */
} group;

typedef struct groups {
	size_t count, capacity;
	group *all;
} groups;

typedef struct sorting {
	const uint64_t *tuples;
	size_t width;
	size_t *rows;        /* [count] */
	item *items, *other; /* [count] */
	groups big, small;
	size_t *place;          /* [ranges][BUCKETS] of the group in hand */
	uint64_t *least, *most; /* [ranges] */
	group now;
	uint64_t low;
	unsigned shift;
} sorting;

static int gemp_tuple_compare(const uint64_t *a, const uint64_t *b, size_t width)
{
	for (size_t i = 0; i < width; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static gemp_code push(groups *g, group added)
{
	gemp_code code = GEMP_RESERVE(g->all, g->capacity, g->count + 1);
	if (code == GEMP_OK)
		g->all[g->count++] = added;
	return code;
}

static gemp_code push_sized(sorting *s, group added)
{
	if (added.count < 2)
		return GEMP_OK;
	return push(added.count > SMALL ? &s->big : &s->small, added);
}

/* SMALL GROUPS */

static bool after(const sorting *s, const item *a, const item *b, size_t depth)
{
	if (a->key != b->key)
		return a->key > b->key;
	return gemp_tuple_compare(s->tuples + a->row * s->width + depth + 1, s->tuples + b->row * s->width + depth + 1,
	                          s->width - depth - 1) > 0;
}

static void sort_run(const sorting *s, item *items, size_t count, size_t depth)
{
	for (size_t i = 1; i < count; i++) {
		item moved = items[i];
		size_t at = i;
		for (; at > 0 && after(s, &items[at - 1], &moved, depth); at--)
			items[at] = items[at - 1];
		items[at] = moved;
	}
}

static void merge(const sorting *s, const item *from, size_t middle, size_t count, item *to, size_t depth)
{
	size_t a = 0, b = middle;
	for (size_t i = 0; i < count; i++)
		to[i] = b == count || (a < middle && !after(s, &from[a], &from[b], depth)) ? from[a++] : from[b++];
}

static void sort_small(void *self, unsigned thread, size_t index)
{
	const sorting *s = self;
	const group *g = &s->small.all[index];
	item *from = s->items + g->begin, *to = s->other + g->begin;
	(void)thread;
	for (size_t i = 0; i < g->count; i += RUN)
		sort_run(s, from + i, g->count - i < RUN ? g->count - i : RUN, g->depth);
	for (size_t run = RUN; run < g->count; run *= 2) {
		for (size_t i = 0; i < g->count; i += 2 * run) {
			size_t left = g->count - i, both = left < 2 * run ? left : 2 * run;
			merge(s, from + i, both < run ? both : run, both, to + i, g->depth);
		}
		item *swap = from;
		from = to;
		to = swap;
	}
	if (from != s->items + g->begin)
		memcpy(s->items + g->begin, from, g->count * sizeof *from);
}

/* BIG GROUPS */

static void load_keys(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	item *items = s->items + s->now.begin;
	uint64_t least = UINT64_MAX, most = 0;
	for (size_t i = begin; i < end; i++) {
		uint64_t key = s->tuples[items[i].row * s->width + s->now.depth];
		items[i].key = key;
		least = key < least ? key : least;
		most = key > most ? key : most;
	}
	s->least[range] = least;
	s->most[range] = most;
}

static size_t bucket_of(const sorting *s, const item *i)
{
	return (size_t)((i->key - s->low) >> s->shift);
}

static void count_buckets(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	const item *items = s->items + s->now.begin;
	size_t *counts = s->place + range * BUCKETS;
	memset(counts, 0, BUCKETS * sizeof *counts);
	for (size_t i = begin; i < end; i++)
		counts[bucket_of(s, &items[i])]++;
}

static void move_items(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	const item *items = s->items + s->now.begin;
	size_t *next = s->place + range * BUCKETS;
	for (size_t i = begin; i < end; i++)
		s->other[next[bucket_of(s, &items[i])]++] = items[i];
}

static void move_back(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	(void)range;
	memcpy(s->items + s->now.begin + begin, s->other + s->now.begin + begin, (end - begin) * sizeof *s->items);
}

/* Where each range's items of each bucket go; the buckets are groups. */
static gemp_code place_buckets(sorting *s, size_t ranges)
{
	gemp_code code = GEMP_OK;
	size_t at = s->now.begin;
	for (size_t b = 0; b < BUCKETS && code == GEMP_OK; b++) {
		size_t begin = at;
		for (size_t r = 0; r < ranges; r++) {
			size_t count = s->place[r * BUCKETS + b];
			s->place[r * BUCKETS + b] = at;
			at += count;
		}
		code = push_sized(s, (group){ begin, at - begin, s->now.depth });
	}
	return code;
}

static gemp_code split(sorting *s, group g)
{
	size_t ranges = gemp_range_count(g.count);
	uint64_t least = UINT64_MAX, most = 0;
	s->now = g;
	gemp_for_ranges(g.count, load_keys, s);
	for (size_t r = 0; r < ranges; r++) {
		least = s->least[r] < least ? s->least[r] : least;
		most = s->most[r] > most ? s->most[r] : most;
	}
	if (least == most)
		return g.depth + 1 < s->width ? push(&s->big, (group){ g.begin, g.count, g.depth + 1 }) : GEMP_OK;
	s->low = least;
	for (s->shift = 0; (most - least) >> s->shift >= BUCKETS;)
		s->shift++;
	gemp_for_ranges(g.count, count_buckets, s);
	GEMP_PROPAGATE(place_buckets(s, ranges));
	gemp_for_ranges(g.count, move_items, s);
	gemp_for_ranges(g.count, move_back, s);
	return GEMP_OK;
}

static void take_rows(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		s->items[i] = (item){ s->tuples[s->rows[i] * s->width], s->rows[i] };
}

static void give_rows(void *self, size_t range, size_t begin, size_t end)
{
	sorting *s = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		s->rows[i] = s->items[i].row;
}

/* A small group has its keys from the split that it came from, or is all there is. */
static gemp_code begin_sort(sorting *s, size_t count)
{
	size_t ranges = gemp_range_count(count), big = count > SMALL ? ranges : 0;
	GEMP_PROPAGATE(GEMP_NEW(s->items, count));
	GEMP_PROPAGATE(GEMP_NEW(s->other, count));
	GEMP_PROPAGATE(GEMP_NEW(s->place, big * BUCKETS));
	GEMP_PROPAGATE(GEMP_NEW(s->least, big));
	GEMP_PROPAGATE(GEMP_NEW(s->most, big));
	gemp_for_ranges(count, take_rows, s);
	return push_sized(s, (group){ 0, count, 0 });
}

gemp_code gemp_tuple_sort(const uint64_t *tuples, size_t width, size_t *rows, size_t count)
{
	gemp_code code = GEMP_OK;
	sorting s = { .tuples = tuples, .width = width, .rows = rows };
	GEMP_TRY(begin_sort(&s, count));
	while (s.big.count)
		GEMP_TRY(split(&s, s.big.all[--s.big.count]));
	gemp_parallel_for(s.small.count, sort_small, &s);
	gemp_for_ranges(count, give_rows, &s);
done:
	gemp_free(s.items);
	gemp_free(s.other);
	gemp_free(s.place);
	gemp_free(s.least);
	gemp_free(s.most);
	gemp_free(s.big.all);
	gemp_free(s.small.all);
	return code;
}
