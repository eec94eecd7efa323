#include "partition/builder_integer_set.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/threads.h"

enum { GROUP = 32, FIRST_SLOTS = 256 }; /* GROUP: numbers whose slots are fetched together */

static const uint64_t free_slot = UINT64_MAX;

typedef struct adding {
	gemp_integer_set *set;
	const uint64_t *numbers;
	size_t count;
} adding;

void gemp_integer_set_init(gemp_integer_set *set)
{
	*set = (gemp_integer_set){ .share_count = 1 };
	while (set->share_count < gemp_threads() && set->share_count < GEMP_MOST_SHARES)
		set->share_count *= 2;
}

void gemp_integer_set_free(gemp_integer_set *set)
{
	for (size_t s = 0; s < set->share_count; s++)
		gemp_free(set->shares[s].slots);
	*set = (gemp_integer_set){ 0 };
}

static void insert(struct gemp_integer_share *share, uint64_t number, uint64_t hash)
{
	size_t mask = share->slot_count - 1, slot = hash & mask;
	if (number == free_slot) {
		share->count += !share->has_last;
		share->has_last = true;
		return;
	}
	while (share->slots[slot] != free_slot) {
		if (share->slots[slot] == number)
			return;
		slot = (slot + 1) & mask;
	}
	share->slots[slot] = number;
	share->count++;
}

/* So that after `more` further numbers half of the slots are free. */
static gemp_code make_room(struct gemp_integer_share *share, size_t more)
{
	gemp_code code = GEMP_OK;
	struct gemp_integer_share larger = { .slot_count = share->slot_count ? share->slot_count : FIRST_SLOTS };
	if (2 * (share->count + more) <= share->slot_count)
		return GEMP_OK;
	while (2 * (share->count + more) > larger.slot_count)
		larger.slot_count *= 2;
	GEMP_TRY(GEMP_NEW(larger.slots, larger.slot_count));
	for (size_t i = 0; i < larger.slot_count; i++)
		larger.slots[i] = free_slot;
	for (size_t i = 0; i < share->slot_count; i++)
		if (share->slots[i] != free_slot)
			insert(&larger, share->slots[i], gemp_mix(share->slots[i]));
	gemp_free(share->slots);
	larger.count = share->count;
	larger.has_last = share->has_last;
	*share = larger;
done:
	return code;
}

static gemp_code insert_group(struct gemp_integer_share *share, const uint64_t *numbers, const uint64_t *hashes,
                              size_t count)
{
	gemp_code code = make_room(share, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		__builtin_prefetch(&share->slots[hashes[i] & (share->slot_count - 1)], 1);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		insert(share, numbers[i], hashes[i]);
	return code;
}

/* All numbers of one share: the highest bits of the hash choose it. */
static void add_share(void *context, unsigned thread, size_t number)
{
	(void)thread;
	adding *a = context;
	struct gemp_integer_share *share = &a->set->shares[number];
	uint64_t group[GROUP], hashes[GROUP];
	size_t waiting = 0;
	share->code = GEMP_OK;
	for (size_t i = 0; i < a->count && share->code == GEMP_OK; i++) {
		uint64_t hash = gemp_mix(a->numbers[i]);
		if (((unsigned __int128)hash * a->set->share_count >> 64) != number)
			continue;
		group[waiting] = a->numbers[i];
		hashes[waiting++] = hash;
		if (waiting == GROUP) {
			share->code = insert_group(share, group, hashes, waiting);
			waiting = 0;
		}
	}
	if (share->code == GEMP_OK && waiting)
		share->code = insert_group(share, group, hashes, waiting);
}

gemp_code gemp_integer_set_add(gemp_integer_set *set, const uint64_t *numbers, size_t count)
{
	adding a = { set, numbers, count };
	gemp_parallel_for(set->share_count, add_share, &a);
	for (size_t s = 0; s < set->share_count; s++)
		if (set->shares[s].code != GEMP_OK)
			return gemp_fail(GEMP_ENOMEM, "out of memory for the ids of vertices; use more ranks");
	return GEMP_OK;
}
