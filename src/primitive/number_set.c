#include "primitive/number_set.h"

#include "core/memory.h"
#include "core/types.h"

/* Numbers that are added together, so that their memory is prefetched. */
enum { AHEAD = 32 };

void gemp_number_set_init(gemp_number_set *set, size_t width, uint64_t hash_mask)
{
	*set = (gemp_number_set){ .width = width, .hash_mask = hash_mask };
}

void gemp_number_set_free(gemp_number_set *set)
{
	gemp_free_all(set->slots, set->old);
	*set = (gemp_number_set){ 0 };
}

static size_t slot_bytes(const gemp_number_set *set, size_t slots)
{
	return slots * set->width * sizeof *set->slots;
}

/* The first slot of a number. `words` are the words of the number; width is a constant in the callers. */
static inline size_t home_of(const gemp_number_set *set, const uint64_t *words, size_t width)
{
	uint64_t hash = gemp_number_mix(width == 1 ? words[0] : words[0] ^ gemp_number_mix(words[1]));
	return gemp_slot_home(gemp_slot_tag(hash & set->hash_mask), set->slot_count);
}

/* Returns the slot that has the number, or the free slot where it belongs. */
static inline size_t find_slot(const gemp_number_set *set, const uint64_t *words, size_t width, size_t home)
{
	size_t at = home;
	for (const uint64_t *slot = set->slots + at * width; slot[0]; slot = set->slots + at * width) {
		if (slot[0] == words[0] && (width == 1 || slot[1] == words[1]))
			break;
		at = gemp_slot_next(at, set->slot_count);
	}
	return at;
}

/* Adds a number if it is not in the set. A slot is free. A known number is not written again, since memory would have
 * to write its slot back. */
static inline void add_at(gemp_number_set *set, const uint64_t *words, size_t width, size_t home)
{
	uint64_t *slot = set->slots + find_slot(set, words, width, home) * width;
	if (slot[0])
		return;
	set->count++;
	for (size_t w = 0; w < width; w++)
		slot[w] = words[w];
}

/* Number of numbers that the slots can hold: three of four slots. */
static size_t room_of(const gemp_number_set *set)
{
	return set->slot_count - set->slot_count / 4;
}

/* Adds numbers in two passes, of which the first prefetches slots. Accesses to a large set are random, and with two
 * passes the latencies of many numbers overlap. Returns how many it looked at before the slots were full. */
static inline size_t add_all(gemp_number_set *set, const uint32_t *numbers, size_t count, size_t width)
{
	size_t first = 0;
	for (; first < count && set->count + gemp_min(count - first, AHEAD) <= room_of(set); first += AHEAD) {
		uint64_t words[AHEAD * GEMP_NUMBER_WORDS];
		size_t home[AHEAD], part = gemp_min(count - first, AHEAD);
		memcpy(words, numbers + first * width * 2, part * width * sizeof *words);
		for (size_t i = 0; i < part; i++) {
			home[i] = home_of(set, words + i * width, width);
			__builtin_prefetch(set->slots + home[i] * width, 1);
		}
		for (size_t i = 0; i < part; i++)
			add_at(set, words + i * width, width, home[i]);
	}
	return gemp_min(first, count);
}

/* Old and new slots exist at the same time, so the budget includes both. */
gemp_code gemp_number_set_reserve(gemp_number_set *set, size_t extra, bool *fits)
{
	size_t larger = gemp_slot_capacity(set->slot_count, set->count + extra);
	uint64_t *slots;
	*fits = true;
	if (larger == set->slot_count)
		return GEMP_OK;
	*fits = slot_bytes(set, larger + set->slot_count) <= set->budget;
	if (!*fits)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(slots, larger * set->width));
	set->old = set->slots;
	set->old_count = set->slot_count;
	set->slots = slots;
	set->slot_count = larger;
	return GEMP_OK;
}

/* Moves the numbers of the old slots to the new slots. It allocates no memory, so any thread may do it. */
static void rehash(gemp_number_set *set)
{
	set->count = set->old_count ? 0 : set->count;
	for (size_t at = 0; at < set->old_count; at++) {
		const uint64_t *old = set->old + at * set->width;
		if (!old[0])
			continue;
		if (set->width == 1)
			add_at(set, old, 1, home_of(set, old, 1));
		else
			add_at(set, old, 2, home_of(set, old, 2));
	}
	set->old_count = 0;
}

size_t gemp_number_set_add_reserved(gemp_number_set *set, const uint32_t *numbers, size_t count)
{
	rehash(set);
	return set->width == 1 ? add_all(set, numbers, count, 1) : add_all(set, numbers, count, 2);
}

void gemp_number_set_trim(gemp_number_set *set)
{
	rehash(set);
	gemp_free(set->old);
	set->old = NULL;
}

bool gemp_number_set_has(const gemp_number_set *set, const uint32_t *number)
{
	uint64_t words[GEMP_NUMBER_WORDS] = { 0 };
	memcpy(words, number, set->width * sizeof *words);
	if (!set->slot_count)
		return false;
	size_t home = home_of(set, words, set->width);
	return set->slots[find_slot(set, words, set->width, home) * set->width] != 0;
}

/* Searches first, because most numbers of a long search are known already and an addition may have to grow the set. */
gemp_code gemp_number_set_add(gemp_number_set *set, const uint32_t *number, bool *fits)
{
	*fits = true;
	if (gemp_number_set_has(set, number))
		return GEMP_OK;
	GEMP_TRY(gemp_number_set_reserve(set, 1, fits));
	gemp_number_set_trim(set);
	if (*fits)
		gemp_number_set_add_reserved(set, number, 1);
	return GEMP_OK;
}

void gemp_number_set_clear(gemp_number_set *set)
{
	set->count = 0;
	if (set->slot_count)
		memset(set->slots, 0, slot_bytes(set, set->slot_count));
}

/* Empties a slot, and moves later numbers of its cluster up, so that no search ends too early (Knuth 1973, 6.4,
 * algorithm R). */
static void remove_at(gemp_number_set *set, size_t hole)
{
	size_t width = set->width, at = hole;
	for (;;) {
		at = gemp_slot_next(at, set->slot_count);
		const uint64_t *slot = set->slots + at * width;
		if (!slot[0])
			break;
		size_t home = home_of(set, slot, width);
		bool stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
		if (stays)
			continue;
		memcpy(set->slots + hole * width, slot, width * sizeof *slot);
		hole = at;
	}
	memset(set->slots + hole * width, 0, width * sizeof *set->slots);
	set->count--;
}

/* Works in place, because it runs when the budget is used up. A removal can move a number to this slot, which is then
 * looked at next, or a number that was looked at behind the end of the slots, which is looked at again. */
void gemp_number_set_retain(gemp_number_set *set, gemp_retain_function *keep, void *context)
{
	for (size_t at = 0; at < set->slot_count;) {
		uint64_t hash;
		const uint64_t *slot = set->slots + at * set->width;
		if (slot[0] && !keep(context, (const uint32_t *)(const void *)slot, &hash))
			remove_at(set, at);
		else
			at++;
	}
}
