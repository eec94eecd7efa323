#include "euler/ranks/list.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/search.h"
#include "core/threads.h"
#include "core/timer.h"

#include <inttypes.h>

/* A contraction has three steps: splitters are selected and labelled, walks label the elements between splitters, and
 * two passes for orphans repeat both for elements that no walk has reached. Links and labels lie side by side in
 * link[], so one cache miss of a walk loads both. Walks of different splitters label disjoint elements, so threads and
 * members write without synchronisation. A fence follows each walk.
 *
 * With several teams a walk that leaves its team continues as a record (element, splitter, distance) in the next
 * round. */

enum { BLOCKS_PER_CHUNK = 4096, ELEMENTS_PER_CHUNK = 1 << 16, ORPHAN_SPACING = 3, UPPER_LEVEL_SPACING = 8 };

/* Scans whole words backwards for a bit that is 0. The bit of slot 0 is 0, which ends the scan. */
size_t gemp_euler_run_start(const uint64_t *joined, size_t slot)
{
	size_t word = slot >> 6;
	uint64_t gaps = ~joined[word] & (((uint64_t)2 << (slot & 63)) - 1); /* the bits that are 0, up to the slot's bit */
	while (gaps == 0)
		gaps = ~joined[--word];
	return (word << 6) + 63 - (size_t)__builtin_clzll(gaps);
}

void gemp_euler_list_free(gemp_euler_list *list)
{
	gemp_euler_block_free(&list->link);
	gemp_euler_block_free(&list->distance);
	gemp_euler_block_free(&list->weight);
	gemp_euler_block_free(&list->splitter);
	gemp_euler_block_free(&list->from);
	gemp_euler_block_free(&list->length);
}

/* Selects elements of this member: elements that become splitters, or elements without a label. Each chunk counts its
 * elements in a first pass and lists them in a second pass. */
typedef struct element_selection {
	gemp_euler_list *list;
	bool wide;
	size_t chunk_size;
	/* [chunks] number of selected elements of each chunk; in the second pass the place of the next element */
	uint64_t *begin;
	void *elements; /* NULL in the first pass, which only counts */
} element_selection;

static void append_element(element_selection *s, size_t begin, size_t x, bool wide)
{
	uint64_t at = s->begin[begin / s->chunk_size]++;
	if (s->elements)
		gemp_number_put(s->elements, at, x, wide);
}

/* The option `spacing` applies to level 0, the list of edges. The higher levels have a fixed spacing. */
static uint64_t spacing_of(const gemp_euler_list *list)
{
	return list->level == 0 ? list->team->spacing : UPPER_LEVEL_SPACING;
}

/* Selects one element of each block of `spacing` elements, at a random place. A shorter last block may have none, since
 * otherwise short lists would never shrink. A chunk is a multiple of the spacing, so blocks do not depend on the number
 * of threads. */
GEMP_INLINE void select_splitters(element_selection *s, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = s->list;
	uint64_t spacing = spacing_of(list), salt = gemp_mix(list->team->seed + list->level);
	for (size_t x = list->own_begin + begin, stop = list->own_begin + end; x < stop; x += spacing) {
		uint64_t width = stop - x < spacing ? stop - x : spacing;
		size_t chosen = x + (size_t)((gemp_mix(salt ^ (list->first_number + x)) >> 32) * spacing >> 32);
		if (list->fixed_splitter >= x && list->fixed_splitter < x + width)
			chosen = list->fixed_splitter;
		if (chosen < x + width && !gemp_euler_closed(list, chosen, wide))
			append_element(s, begin, chosen, wide);
	}
}
GEMP_CHUNK_WIDTHS(splitter_body, select_splitters, element_selection)

/* Selects the elements that no walk has reached. They lie on circuits without a splitter. */
GEMP_INLINE void select_unlabelled(element_selection *s, size_t begin, size_t end, bool wide)
{
	const gemp_euler_list *list = s->list;
	for (size_t x = list->own_begin + begin; x < list->own_begin + end; x++)
		if (gemp_euler_label_at(list, x, wide) == 0 && !gemp_euler_closed(list, x, wide))
			append_element(s, begin, x, wide);
}
GEMP_CHUNK_WIDTHS(unlabelled_body, select_unlabelled, element_selection)

/* Local. *elements: [*count] ascending numbers, which the caller frees. */
static gemp_code select_elements(gemp_euler_list *list, gemp_range_body *body, size_t chunk_size, void **elements,
                                 size_t *count)
{
	size_t own = list->own_end - list->own_begin, chunks = (own + chunk_size - 1) / chunk_size;
	GEMP_OWNED uint64_t *begin = NULL;
	GEMP_TRY(GEMP_NEW(begin, chunks + 1));
	element_selection s = { .list = list, .wide = list->wide, .chunk_size = chunk_size, .begin = begin };
	gemp_for_chunks(own, chunk_size, body, &s);
	gemp_prefix_inclusive(begin, chunks);
	*count = chunks ? begin[chunks - 1] : 0;
	gemp_prefix_shift(begin, chunks + 1);
	GEMP_TRY(gemp_numbers_new(elements, *count, list->wide));
	s.elements = *elements;
	gemp_for_chunks(own, chunk_size, body, &s);
	return GEMP_OK;
}

/* Of the elements orphans[*left], drops elements that have a label now, and moves a random third of the other elements,
 * or all of them, to taken[]. Returns the number of moved elements. */
static size_t take_orphans(gemp_euler_list *list, void *orphans, size_t *left, void *taken, bool all)
{
	size_t count = 0, kept = 0;
	bool wide = list->wide;
	uint64_t salt = gemp_mix(list->team->seed ^ ~(uint64_t)list->level);
	for (size_t i = 0; i < *left; i++) {
		uint64_t x = gemp_number_at(orphans, i, wide);
		if (gemp_euler_label_at(list, x, wide) != 0)
			continue;
		if (all || gemp_mix(salt ^ (list->first_number + x)) % ORPHAN_SPACING == 0)
			gemp_number_put(taken, count++, x, wide);
		else
			gemp_number_put(orphans, kept++, x, wide);
	}
	*left = kept;
	return count;
}

typedef struct new_splitters {
	gemp_euler_list *list;
	bool wide;
	const void *elements;
	size_t first; /* the number of the first new splitter */
} new_splitters;

/* The label of a splitter has the highest bit set, which ends walks. */
GEMP_INLINE void label_splitters(new_splitters *n, size_t begin, size_t end, bool wide)
{
	gemp_euler_list *list = n->list;
	for (size_t i = begin; i < end; i++) {
		uint64_t x = gemp_number_at(n->elements, i, wide), k = n->first + i;
		gemp_number_put(list->splitter.at, k, x, wide);
		gemp_number_put(list->link.at, 2 * x + 1, gemp_euler_label_flag(wide) | (k + 1), wide);
	}
}
GEMP_CHUNK_WIDTHS(label_body, label_splitters, new_splitters)

/* Collective. Makes these elements splitters, and walks their stretches. code: the code of the preceding local
 * steps. */
static gemp_code add_splitters(gemp_euler_list *list, const void *elements, size_t count, gemp_code code)
{
	gemp_euler_team *team = list->team;
	size_t size = gemp_number_size(list->wide), before = list->splitters, first, end;
	uint64_t all;
	GEMP_TRY(gemp_comm_agree(team->comm, code));
	new_splitters n = { .list = list, .wide = list->wide, .elements = elements };
	n.first = before + gemp_euler_team_before(team, count, &all);
	GEMP_TRY(gemp_euler_block_grow(team, &list->splitter, before + all, size));
	GEMP_TRY(gemp_euler_block_grow(team, &list->from, before + all, size));
	GEMP_TRY(gemp_euler_block_grow(team, &list->length, before + all, size));
	list->splitters = before + all;
	gemp_for_chunks(count, ELEMENTS_PER_CHUNK, label_body, &n);
	gemp_euler_team_fence(team);
	gemp_euler_team_part(team, all, &first, &end);
	return gemp_euler_list_walk(list, NULL, before + first, end - first);
}

/* Collective. There are two passes. After the first pass only elements of short circuits are without a label. */
static gemp_code contract_orphans(gemp_euler_list *list)
{
	GEMP_OWNED void *orphans = NULL, *taken = NULL;
	size_t left = 0;
	gemp_code code = select_elements(list, unlabelled_body, ELEMENTS_PER_CHUNK, &orphans, &left);
	GEMP_THEN(gemp_numbers_new(&taken, left, list->wide));
	GEMP_TRY(gemp_comm_agree(list->team->comm, code));
	if (gemp_comm_sum1(list->team->comm, left) == 0)
		return GEMP_OK;
	for (int all = 0; all < 2; all++) {
		size_t count = take_orphans(list, orphans, &left, taken, all);
		GEMP_TRY(add_splitters(list, taken, count, GEMP_OK));
	}
	return GEMP_OK;
}

/* The code of the local selection is passed on to add_splitters, which agrees on it. If a rank without memory returned
 * before, the other ranks would wait in add_splitters in vain. */
gemp_code gemp_euler_list_contract(gemp_euler_list *list, double *seconds)
{
	GEMP_OWNED void *elements = NULL;
	size_t count = 0;
	double begin = gemp_now();
	gemp_code code = select_elements(list, splitter_body, BLOCKS_PER_CHUNK * spacing_of(list), &elements, &count);
	GEMP_TRY(add_splitters(list, elements, count, code));
	double walked = gemp_now();
	GEMP_TRY(contract_orphans(list));
	if (seconds) {
		seconds[0] = walked - begin;
		seconds[1] = gemp_now() - walked;
	}
	return GEMP_OK;
}

enum { WALKERS = 24, STARTS_PER_CHUNK = 1024, SHORT_DISTANCE_SPACING = 1024, MAX_SHORT_DISTANCE = UINT16_MAX };

/* Walkers advance until they reach a splitter or leave for another team. Each thread advances WALKERS walkers in turn.
 * While the other walkers move, the next element of a walker is prefetched, which hides the latency of random
 * accesses. */
typedef struct walk_state {
	gemp_euler_list *list;
	bool wide;
	const void *starts; /* numbers of the splitters where walks start; NULL: start i is splitter first + i */
	size_t first;
	bool short_distances;   /* a distance in a record has 2 bytes */
	bool distance_overflow; /* a distance did not fit in 2 bytes */
	const char *arrived;    /* [arrivals] records: element, splitter, distance */
	size_t arrivals,
		count; /* count: walkers of this round, first the arrived walkers, then the walkers that start here */
	gemp_euler_exchange exchange;
} walk_state;

typedef struct walker {
	size_t at;
	uint64_t from, distance;
} walker;

/* Prefetches for writing, since the label of the element will be set. */
GEMP_INLINE void move_to(const gemp_euler_list *list, walker *l, size_t element, bool wide)
{
	l->at = gemp_euler_rotated(list->joined, element);
	__builtin_prefetch((char *)list->link.at + 2 * l->at * gemp_number_size(wide), 1);
	if (list->distance.at)
		__builtin_prefetch((char *)list->distance.at + l->at * gemp_number_size(wide), 1);
}

GEMP_INLINE uint64_t weight_of(const gemp_euler_list *list, size_t x, bool wide)
{
	return list->weight.at ? gemp_number_at(list->weight.at, x, wide) : 1;
}

static size_t record_size(const walk_state *w)
{
	return 2 * gemp_number_size(w->wide) + (w->short_distances ? sizeof(uint16_t) : gemp_number_size(w->wide));
}

/* With small spacing, distances of 65,536 and more are so improbable that distances are sent in 2 bytes. A larger
 * distance is reported as an error. */
static void write_record(walk_state *w, size_t chunk, const walker *l, uint64_t next, bool wide)
{
	const gemp_euler_list *list = w->list;
	size_t owner = gemp_range_find(list->bounds, list->team->teams, next);
	char *record = gemp_euler_exchange_put(&w->exchange, chunk, owner, 0);
	gemp_number_write(record, 0, next - list->bounds[owner], wide);
	gemp_number_write(record, 1, l->from, wide);
	if (!w->short_distances) {
		gemp_number_write(record, 2, l->distance, wide);
		return;
	}
	uint16_t distance = (uint16_t)l->distance;
	memcpy(record + 2 * gemp_number_size(wide), &distance, sizeof distance);
	if (l->distance > MAX_SHORT_DISTANCE)
		__atomic_store_n(&w->distance_overflow, true, __ATOMIC_RELAXED);
}

/* A distance has at least 2 bytes in both forms, so 2 bytes may be read before the form is tested. */
GEMP_INLINE void read_record(const walk_state *w, size_t i, walker *l, bool wide)
{
	const char *record = w->arrived + i * w->exchange.size;
	uint16_t distance;
	l->at = gemp_number_read(record, 0, wide);
	l->from = gemp_number_read(record, 1, wide);
	memcpy(&distance, record + 2 * gemp_number_size(wide), sizeof distance);
	l->distance = w->short_distances ? distance : gemp_number_read(record, 2, wide);
}

/* Returns false if the successor belongs to another team. The walker is then sent to that team. */
GEMP_INLINE bool advance(walk_state *w, size_t chunk, walker *l, uint64_t next, bool wide)
{
	gemp_euler_list *list = w->list;
	if (next - list->first_number < list->count) {
		move_to(list, l, next - list->first_number, wide);
		return true;
	}
	write_record(w, chunk, l, next, wide);
	return false;
}

/* Walkers that arrived from other teams come first, followed by walkers that start here. Returns false if the walker
 * left for another team at once. */
GEMP_INLINE bool start_walker(walk_state *w, size_t chunk, size_t i, walker *l, bool wide)
{
	const gemp_euler_list *list = w->list;
	if (i < w->arrivals) {
		read_record(w, i, l, wide);
		move_to(list, l, l->at, wide);
		return true;
	}
	size_t k = w->first + i - w->arrivals;
	if (w->starts)
		k = gemp_number_at(w->starts, k, wide);
	size_t x = gemp_number_at(list->splitter.at, k, wide);
	l->from = k * list->team->teams + list->team->team;
	l->distance = weight_of(list, x, wide);
	return advance(w, chunk, l, gemp_euler_next_at(list, x, wide), wide);
}

/* Returns false if the walker has reached a splitter, or has left for another team. */
GEMP_INLINE bool walk_step(walk_state *w, size_t chunk, walker *l, bool wide)
{
	gemp_euler_list *list = w->list;
	uint64_t label = gemp_euler_label_at(list, l->at, wide), flag = gemp_euler_label_flag(wide);
	if (label & flag) {
		uint64_t k = (label & ~flag) - 1;
		gemp_number_put(list->from.at, k, l->from, wide);
		gemp_number_put(list->length.at, k, l->distance, wide);
		return false;
	}
	gemp_number_put(list->link.at, 2 * l->at + 1, l->from + 1, wide);
	if (list->distance.at)
		gemp_number_put(list->distance.at, l->at, l->distance, wide);
	l->distance += weight_of(list, l->at, wide);
	return advance(w, chunk, l, gemp_euler_next_at(list, l->at, wide), wide);
}

/* A finished walker is replaced at once, so WALKERS accesses are always under way. */
GEMP_INLINE void walk_chunk(walk_state *w, size_t chunk, bool wide)
{
	walker lanes[WALKERS];
	size_t live = 0, i, end;
	if (w->list->team->teams > 1) {
		i = w->exchange.begin[chunk];
		end = w->exchange.begin[chunk + 1];
	} else {
		i = chunk * STARTS_PER_CHUNK;
		end = i + STARTS_PER_CHUNK < w->count ? i + STARTS_PER_CHUNK : w->count;
	}
	while (live < WALKERS && i < end)
		live += start_walker(w, chunk, i++, &lanes[live], wide);
	while (live)
		for (size_t n = 0; n < live; n++) {
			if (walk_step(w, chunk, &lanes[n], wide))
				continue;
			bool entered = false;
			while (!entered && i < end)
				entered = start_walker(w, chunk, i++, &lanes[n], wide);
			if (!entered)
				lanes[n] = lanes[--live];
		}
}
GEMP_WIDTHS(walk_body, walk_chunk, walk_state)

/* Collective. Each round advances all walkers on this rank, and starts new walkers up to the limit of records in
 * flight. */
static gemp_code walk_in_rounds(walk_state *w, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_euler_team *team = w->list->team;
	w->short_distances = w->list->level == 0 && team->spacing <= SHORT_DISTANCE_SPACING;
	GEMP_TRY_DONE(gemp_comm_agree(team->comm, gemp_euler_exchange_new(&w->exchange, team, record_size(w), false)));
	for (uint64_t left = 1; left > 0;) {
		size_t capacity = w->arrivals < team->in_flight ? team->in_flight - w->arrivals : 0;
		size_t starting = count < capacity ? count : capacity;
		w->count = w->arrivals + starting;
		code = gemp_euler_exchange_open(&w->exchange, w->count);
		w->arrived = w->exchange.receive;
		if (code == GEMP_OK)
			gemp_parallel_for(w->exchange.chunks, walk_body, w);
		if (w->distance_overflow)
			code = gemp_fail(GEMP_EINTERNAL,
			                 "no splitter was met on %d edges, though one of %" PRIu32 " is one; "
			                 "another seed chooses others",
			                 MAX_SHORT_DISTANCE, team->spacing);
		w->first += starting;
		count -= starting;
		left = count;
		GEMP_TRY_DONE(gemp_euler_exchange_send(&w->exchange, code, &left));
		w->arrivals = w->exchange.received;
	}
done:
	gemp_euler_exchange_free(&w->exchange);
	return code;
}

/* The walks of a single team cross ranks in shared memory, so all walks end in one pass, and the fence makes their
 * labels visible to all members. With several teams a walk that leaves its team continues in the next round of
 * messages. */
gemp_code gemp_euler_list_walk(gemp_euler_list *list, const void *starts, size_t first, size_t count)
{
	walk_state w = { .list = list, .wide = list->wide, .starts = starts, .first = first };
	if (list->team->teams > 1)
		return walk_in_rounds(&w, count);
	w.count = count;
	gemp_parallel_for((count + STARTS_PER_CHUNK - 1) / STARTS_PER_CHUNK, walk_body, &w);
	gemp_euler_team_fence(list->team);
	return GEMP_OK;
}

/* Adds the splitters that the labels of this rank name. A label with the flag belongs to a splitter, which is an own
 * element. A label without the flag may also name an own splitter, whose value this rank then requests from itself. */
static void collect_labels(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	gemp_euler_lookup *lookup = context;
	bool wide = lookup->list->wide;
	for (size_t x = begin; x < end; x++) {
		uint64_t label = gemp_euler_label_at(lookup->list, x, wide);
		if (label != 0 && !(label & gemp_euler_label_flag(wide)))
			gemp_euler_subset_add(&lookup->named, label - 1);
	}
}

/* Request handler: returns the value of splitter k of this team. */
static uint64_t own_value(const void *context, uint64_t k)
{
	const gemp_euler_lookup *lookup = context;
	return gemp_number_at(lookup->own, k, lookup->list->wide);
}

/* A single team reads the values directly. Splitter k of team t has the number k * teams + t. So the bound teams *
 * (splitters of the team with the most splitters) exceeds all numbers in labels. */
gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values)
{
	gemp_euler_team *team = list->team;
	*lookup = (gemp_euler_lookup){ .list = list, .own = values };
	if (team->teams == 1)
		return GEMP_OK;
	uint64_t max_count = list->splitters;
	gemp_comm_max(team->comm, &max_count, 1);
	GEMP_TRY(gemp_comm_agree(team->comm, gemp_euler_subset_new(&lookup->named, max_count * team->teams)));
	gemp_for_chunks(list->count, ELEMENTS_PER_CHUNK, collect_labels, lookup);
	gemp_euler_subset_seal(&lookup->named);
	const gemp_euler_request request = {
		.team = team, .named = &lookup->named, .own = list->splitters, .answer = own_value, .context = lookup
	};
	return gemp_euler_query(&request, &lookup->values);
}

void gemp_euler_lookup_free(gemp_euler_lookup *lookup)
{
	gemp_euler_subset_free(&lookup->named);
	gemp_free(lookup->values);
	*lookup = (gemp_euler_lookup){ 0 };
}
