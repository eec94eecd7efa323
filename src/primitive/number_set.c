#include "primitive/number_set.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/types.h"
#include "core/vector.h"

enum {
	AHEAD = 16,       /* numbers whose slots are prefetched together */
	FIRST_SLOTS = 64, /* slots of the first leaf, until it is full */
	LINE_WORDS = 8    /* words of a cache line */
};

/* The first cache line of an array that has LINE_WORDS more words than are needed. */
static uint64_t *align_to_line(uint64_t *words)
{
	const uintptr_t line = LINE_WORDS * sizeof *words;
	return (uint64_t *)(((uintptr_t)words + line - 1) / line * line);
}

void gemp_number_set_init(gemp_number_set *set, size_t width, uint64_t hash_mask)
{
	*set = (gemp_number_set){ .width = width, .hash_mask = hash_mask, .leaf_slots = gemp_limits_now()->number_leaf };
}

void gemp_number_set_free(gemp_number_set *set)
{
	for (size_t i = 0; set->leaf && i < (size_t)1 << set->level; i++)
		gemp_free(set->leaf[i].own);
	gemp_free_list((void *const *)set->shared, GEMP_NUMBER_LEVELS + 1);
	gemp_free(set->leaf);
	*set = (gemp_number_set){ 0 };
}

size_t gemp_number_set_count(const gemp_number_set *set)
{
	size_t count = 0;
	for (size_t i = 0; set->leaf && i < (size_t)1 << set->level; i++)
		count += set->leaf[i].count;
	return count;
}

size_t gemp_number_set_ranges(const gemp_number_set *set)
{
	return (size_t)1 << gemp_min(set->level, (unsigned)GEMP_NUMBER_PLACE_BITS);
}

static size_t slot_bytes(const gemp_number_set *set, size_t slots)
{
	return slots * set->width * sizeof *set->leaf->slots;
}

/* Number of numbers that a leaf can hold: seven of eight slots. */
static inline size_t room_of(const gemp_number_leaf *leaf)
{
	return leaf->slot_count - leaf->slot_count / 8;
}

/* `words` are the words of the number; width is a constant in the callers. */
static inline uint32_t tag_of(const gemp_number_set *set, const uint64_t *words, size_t width)
{
	uint64_t hash = gemp_number_mix(width == 1 ? words[0] : words[0] ^ gemp_number_mix(words[1]));
	return gemp_slot_tag(hash & set->hash_mask);
}

static inline gemp_number_leaf *leaf_of(const gemp_number_set *set, uint32_t tag)
{
	return set->leaf + ((uint64_t)tag >> (32 - set->level));
}

/* The first slot of a number in its leaf, which the bits behind the leaf's choose. It begins a cache line. */
static inline size_t home_of(const gemp_number_leaf *leaf, unsigned level, uint32_t tag, size_t width)
{
	return gemp_slot_home(tag << level, leaf->slot_count) & ~(LINE_WORDS / width - 1);
}

typedef uint64_t line __attribute__((vector_size(LINE_WORDS * sizeof(uint64_t))));

/* Clang has no __builtin_shuffle, and GCC has __builtin_shufflevector since version 12 only. */
#ifdef __clang__
#define SHUFFLE(words, ...) __builtin_shufflevector(words, words, __VA_ARGS__)
#else
#define SHUFFLE(words, ...) __builtin_shuffle(words, (line){ __VA_ARGS__ })
#endif

/* True if the cache line that begins at this slot has the number. Most numbers are known and lie in their first line,
 * whose slots are compared together. The shuffles collect the results of all slots in the first two words. */
GEMP_VECTOR_BODY bool line_has(const uint64_t *slot, const uint64_t *words, const size_t width)
{
	const uint64_t a = words[0], b = words[width - 1];
	const line wanted = { a, b, a, b, a, b, a, b };
	line is;
	memcpy(&is, slot, sizeof is);
	line equal = (line)(is == wanted);
	if (width == 2)
		equal &= SHUFFLE(equal, 1, 0, 3, 2, 5, 4, 7, 6);
	equal |= SHUFFLE(equal, 4, 5, 6, 7, 0, 1, 2, 3);
	equal |= SHUFFLE(equal, 2, 3, 0, 1, 6, 7, 4, 5);
	return (equal[0] | equal[1]) != 0;
}

/* Returns the slot that has the number, or the free slot where it belongs. */
static inline uint64_t *find_slot(const gemp_number_leaf *leaf, const uint64_t *words, size_t width, size_t home)
{
	size_t at = home;
	uint64_t *slot = leaf->slots + at * width;
	for (; slot[0]; slot = leaf->slots + at * width) {
		if (slot[0] == words[0] && (width == 1 || slot[1] == words[1]))
			break;
		at = gemp_slot_next(at, leaf->slot_count);
	}
	return slot;
}

static inline void occupy(gemp_number_leaf *leaf, uint64_t *slot, const uint64_t *words, size_t width)
{
	for (size_t w = 0; w < width; w++)
		slot[w] = words[w];
	leaf->count++;
}

/* Numbers whose slots are being prefetched: their tags, leaves and first slots. */
typedef struct ahead {
	uint32_t tag[AHEAD];
	gemp_number_leaf *leaf[AHEAD];
	uint64_t *home[AHEAD];
} ahead;

GEMP_VECTOR_BODY void look_ahead(const gemp_number_set *set, ahead *next, const uint64_t *numbers, size_t count,
                                 const size_t width)
{
	for (size_t i = 0; i < count; i++)
		next->tag[i] = tag_of(set, numbers + i * width, width);
	for (size_t i = 0; i < count; i++) {
		gemp_number_leaf *leaf = next->leaf[i] = leaf_of(set, next->tag[i]);
		next->home[i] = leaf->slots + home_of(leaf, set->level, next->tag[i], width) * width;
		__builtin_prefetch(next->home[i], 1);
	}
}

/* The slots of AHEAD numbers are prefetched while the AHEAD numbers before them are added, so that the latencies of
 * many numbers overlap. A known number is not written again, since memory would have to write its slot back. */
GEMP_VECTOR_BODY size_t add_all(gemp_number_set *set, const uint64_t *numbers, size_t count, const size_t width)
{
	ahead groups[2];
	look_ahead(set, &groups[0], numbers, gemp_min(count, (size_t)AHEAD), width);
	for (size_t first = 0; first < count; first += AHEAD) {
		const size_t end = gemp_min(count, first + AHEAD);
		const ahead *group = &groups[first / AHEAD % 2];
		look_ahead(set, &groups[(first / AHEAD + 1) % 2], numbers + end * width, gemp_min(count - end, (size_t)AHEAD),
		           width);
		for (size_t i = first; i < end; i++) {
			const uint64_t *words = numbers + i * width, *home = group->home[i - first];
			if (line_has(home, words, width))
				continue;
			gemp_number_leaf *leaf = group->leaf[i - first];
			uint64_t *slot = find_slot(leaf, words, width, (size_t)(home - leaf->slots) / width);
			if (slot[0])
				continue;
			if (leaf->count == room_of(leaf))
				return i;
			occupy(leaf, slot, words, width);
		}
	}
	return count;
}

GEMP_VECTOR_BODY void add_loop(gemp_number_set *set, const uint64_t *numbers, size_t count, size_t *added)
{
	*added = set->width == 1 ? add_all(set, numbers, count, 1) : add_all(set, numbers, count, 2);
}

GEMP_VECTOR_LOOP(add, (gemp_number_set * set, const uint64_t *numbers, size_t count, size_t *added),
                 (set, numbers, count, added))

size_t gemp_number_set_add_some(gemp_number_set *set, const uint64_t *numbers, size_t count)
{
	size_t added = 0;
	if (set->slot_count)
		add(set, numbers, count, &added);
	return added;
}

/* Adds the numbers of these slots, which are not in the set, to leaves that have room. */
static inline void move_all(gemp_number_set *set, const uint64_t *slots, size_t slot_count, size_t width)
{
	for (const uint64_t *from = slots; from < slots + slot_count * width; from += width) {
		if (!from[0])
			continue;
		const uint32_t tag = tag_of(set, from, width);
		gemp_number_leaf *leaf = leaf_of(set, tag);
		occupy(leaf, find_slot(leaf, from, width, home_of(leaf, set->level, tag, width)), from, width);
	}
}

static void move_slots(gemp_number_set *set, const uint64_t *slots, size_t slot_count)
{
	if (set->width == 1)
		move_all(set, slots, slot_count, 1);
	else
		move_all(set, slots, slot_count, 2);
}

/* Makes one leaf twice as large. Old and new slots exist at the same time, so the budget includes both. */
static gemp_code enlarge_leaf(gemp_number_set *set, gemp_number_leaf *leaf, bool *fits)
{
	const gemp_number_leaf old = *leaf;
	const size_t larger = old.slot_count ? 2 * old.slot_count : gemp_min(set->leaf_slots, FIRST_SLOTS);
	uint64_t *slots;
	*fits = slot_bytes(set, set->slot_count + larger) <= set->budget;
	if (!*fits)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, larger * set->width + LINE_WORDS));
	*leaf = (gemp_number_leaf){ .slots = align_to_line(slots), .slot_count = larger, .own = slots };
	set->slot_count += larger - (old.own ? old.slot_count : 0);
	move_slots(set, old.slots, old.slot_count);
	gemp_free(old.own);
	return GEMP_OK;
}

/* The arguments of split_range. The set has its new level already. */
typedef struct split_task {
	gemp_number_set *set;
	size_t count, parts; /* old leaves; leaves that an old leaf becomes */
	size_t ranges;       /* ranges of old leaves, each of which one thread splits */
	uint64_t *scratch;   /* [ranges][leaf_slots][width] */
} split_task;

/* Distributes the numbers of an old leaf, which is the first of its parts now, to all its parts. */
static void split_leaf(gemp_number_set *set, gemp_number_leaf *leaf, uint64_t *copy)
{
	const size_t bytes = slot_bytes(set, set->leaf_slots);
	memcpy(copy, leaf->slots, bytes);
	memset(leaf->slots, 0, bytes);
	leaf->count = 0;
	move_slots(set, copy, set->leaf_slots);
}

static void split_range(void *context, unsigned thread, size_t range)
{
	const split_task *s = context;
	uint64_t *copy = s->scratch + range * s->set->leaf_slots * s->set->width;
	(void)thread;
	for (size_t i = range * s->count / s->ranges; i < (range + 1) * s->count / s->ranges; i++)
		split_leaf(s->set, s->set->leaf + i * s->parts, copy);
}

/* Adds this number of levels, and each leaf becomes 2^levels leaves. The scratch does not count: it is small beside a
 * large set, and a set whose budget is a power of two could otherwise use only half of it. */
static gemp_code split_leaves(gemp_number_set *set, unsigned levels, bool *fits)
{
	const size_t count = (size_t)1 << set->level, parts = (size_t)1 << levels, words = set->leaf_slots * set->width;
	const size_t ranges = gemp_min(count, (size_t)gemp_threads());
	GEMP_OWNED uint64_t *scratch = NULL;
	GEMP_OWNED uint64_t *added = NULL;
	gemp_number_leaf *leaf;
	*fits = slot_bytes(set, parts * count * set->leaf_slots) <= set->budget;
	if (!*fits)
		return GEMP_OK;
	GEMP_TRY(
		gemp_new_all(GEMP_ARRAY(scratch, ranges * words), GEMP_ARRAY(added, (parts - 1) * count * words + LINE_WORDS)));
	GEMP_TRY(GEMP_NEW(leaf, parts * count));
	for (size_t i = 0; i < count * parts; i++)
		leaf[i] = i % parts == 0 ? set->leaf[i / parts]
		                         : (gemp_number_leaf){ .slots = align_to_line(added) + (i - i / parts - 1) * words,
			                                           .slot_count = set->leaf_slots };
	gemp_free(set->leaf);
	set->leaf = leaf;
	set->level += levels;
	set->shared[set->level] = added;
	added = NULL;
	set->slot_count *= parts;
	gemp_parallel_for(ranges, split_range, &(split_task){ set, count, parts, ranges, scratch });
	return GEMP_OK;
}

/* Splits all leaves in two, or in four if two are expected to be full again. */
static gemp_code split_as_expected(gemp_number_set *set, bool *fits)
{
	const size_t slots = 2 * set->slot_count;
	*fits = false;
	if (set->level + 2 <= GEMP_NUMBER_LEVELS && set->expected > slots - slots / 8)
		GEMP_TRY(split_leaves(set, 2, fits));
	return *fits ? GEMP_OK : split_leaves(set, 1, fits);
}

/* The slots of the set if no leaf were larger than the others. */
static size_t even_slots(const gemp_number_set *set)
{
	return set->leaf_slots << set->level;
}

static bool is_mostly_full(const gemp_number_set *set, size_t count)
{
	return count > even_slots(set) / 8 * 5;
}

/* Puts the numbers of leaves, some of which are larger than the others, into enough leaves of one size. Old and new
 * slots exist at the same time, so the budget includes both. */
static gemp_code make_even(gemp_number_set *set, bool *fits)
{
	const size_t count = gemp_number_set_count(set), held = slot_bytes(set, set->slot_count);
	GEMP_OWNED_BY(gemp_number_set_free)
	gemp_number_set even = { .width = set->width,
		                     .hash_mask = set->hash_mask,
		                     .leaf_slots = set->leaf_slots,
		                     .budget = set->budget - held,
		                     .level = set->level };
	while (is_mostly_full(&even, count) && even.level < GEMP_NUMBER_LEVELS)
		even.level++;
	*fits = slot_bytes(set, even_slots(&even)) <= even.budget;
	if (!*fits)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(even.leaf, (size_t)1 << even.level));
	GEMP_TRY(GEMP_NEW(even.shared[even.level], even_slots(&even) * even.width + LINE_WORDS));
	even.slot_count = even_slots(&even);
	for (size_t i = 0; i < (size_t)1 << even.level; i++)
		even.leaf[i] = (gemp_number_leaf){ .slots = align_to_line(even.shared[even.level]) +
			                                        i * even.leaf_slots * even.width,
			                               .slot_count = even.leaf_slots };
	for (size_t i = 0; i < (size_t)1 << set->level; i++)
		for (size_t at = 0; at < set->leaf[i].slot_count && *fits; at++) {
			const uint64_t *slot = set->leaf[i].slots + at * set->width;
			if (slot[0])
				GEMP_TRY(gemp_number_set_add(&even, (const uint32_t *)(const void *)slot, fits));
		}
	if (!*fits)
		return GEMP_OK;
	even.budget = set->budget;
	even.expected = set->expected;
	const gemp_number_set old = *set;
	*set = even;
	even = old;
	return GEMP_OK;
}

/* Splits leaves if they are mostly full. A full leaf beside leaves that are not has equal hashes, which a split could
 * not separate, or numbers that came in the order of their places; it becomes larger by itself. */
gemp_code gemp_number_set_grow(gemp_number_set *set, const uint32_t *number, bool *fits)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	memcpy(words, number, set->width * sizeof *words);
	if (!set->leaf)
		GEMP_TRY(GEMP_NEW(set->leaf, 1));
	gemp_number_leaf *leaf = leaf_of(set, tag_of(set, words, set->width));
	*fits = true;
	if (leaf->count < room_of(leaf))
		return GEMP_OK;
	if (set->level < GEMP_NUMBER_LEVELS && is_mostly_full(set, gemp_number_set_count(set))) {
		if (set->slot_count == even_slots(set))
			return split_as_expected(set, fits);
		GEMP_TRY(make_even(set, fits));
		if (*fits)
			return GEMP_OK;
	}
	return enlarge_leaf(set, leaf, fits);
}

bool gemp_number_set_has(const gemp_number_set *set, const uint32_t *number)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	memcpy(words, number, set->width * sizeof *words);
	if (!set->slot_count)
		return false;
	const uint32_t tag = tag_of(set, words, set->width);
	const gemp_number_leaf *leaf = leaf_of(set, tag);
	return find_slot(leaf, words, set->width, home_of(leaf, set->level, tag, set->width))[0] != 0;
}

/* Most numbers of a long search are known already, and a new number may need several splits to get room. */
gemp_code gemp_number_set_add(gemp_number_set *set, const uint32_t *number, bool *fits)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	memcpy(words, number, set->width * sizeof *words);
	*fits = true;
	while (*fits && !gemp_number_set_add_some(set, words, 1))
		GEMP_TRY(gemp_number_set_grow(set, number, fits));
	return GEMP_OK;
}

/* Called for a leaf of a set, on any thread. */
static void clear_leaf(void *context, unsigned thread, size_t i)
{
	const gemp_number_set *set = context;
	gemp_number_leaf *leaf = set->leaf + i;
	(void)thread;
	if (leaf->count)
		memset(leaf->slots, 0, slot_bytes(set, leaf->slot_count));
	leaf->count = 0;
}

void gemp_number_set_clear(gemp_number_set *set)
{
	if (set->leaf)
		gemp_parallel_for((size_t)1 << set->level, clear_leaf, set);
}

/* Empties a slot, and moves later numbers of its cluster up, so that no search ends too early (Knuth 1973, 6.4,
 * algorithm R). */
static void remove_at(gemp_number_set *set, gemp_number_leaf *leaf, size_t hole)
{
	size_t width = set->width, at = hole;
	for (;;) {
		at = gemp_slot_next(at, leaf->slot_count);
		const uint64_t *slot = leaf->slots + at * width;
		if (!slot[0])
			break;
		size_t home = home_of(leaf, set->level, tag_of(set, slot, width), width);
		bool stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
		if (stays)
			continue;
		memcpy(leaf->slots + hole * width, slot, width * sizeof *slot);
		hole = at;
	}
	memset(leaf->slots + hole * width, 0, width * sizeof *leaf->slots);
	leaf->count--;
}

/* Works in place, because it runs when the budget is used up. A removal can move a number to this slot, which is then
 * looked at next, or a number that was looked at behind the end of the slots, which is looked at again. */
void gemp_number_set_retain(gemp_number_set *set, gemp_retain_function *keep, void *context)
{
	for (size_t i = 0; set->leaf && i < (size_t)1 << set->level; i++) {
		gemp_number_leaf *leaf = set->leaf + i;
		for (size_t at = 0; at < leaf->slot_count;) {
			uint64_t hash;
			const uint64_t *slot = leaf->slots + at * set->width;
			if (slot[0] && !keep(context, (const uint32_t *)(const void *)slot, &hash))
				remove_at(set, leaf, at);
			else
				at++;
		}
	}
}
