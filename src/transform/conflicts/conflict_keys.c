#include "transform/conflicts/conflict_keys.h"

#include "core/memory.h"
#include "core/random.h"

enum { MIN_HASHED_SLOTS = 1 << 12 };

bool gemp_conflict_keys_is_valid(const gemp_conflict_keys *k)
{
	return k->offsets && k->offsets[0] == 0 && (k->keys || k->offsets[k->matches] == 0) && k->slots >> 62 == 0;
}

void gemp_conflict_keys_free(gemp_conflict_keys *conflict_keys)
{
	gemp_free_all(conflict_keys->offsets, conflict_keys->keys);
	*conflict_keys = (gemp_conflict_keys){ 0 };
}

/* The table is a power of two at least twice as large as the number of keys, so linear probing always ends. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t slot_bound, size_t conflict_keys, size_t slot_size)
{
	gemp_code code = GEMP_OK;
	size_t hashed = 2;
	*out = (gemp_slot_table){ 0 };
	while (hashed < 2 * conflict_keys)
		hashed *= 2;
	if (slot_bound <= MIN_HASHED_SLOTS || slot_bound <= hashed * (sizeof *out->slots + slot_size) / slot_size) {
		out->count = (size_t)slot_bound;
		return GEMP_OK;
	}
	out->count = hashed;
	code = GEMP_NEW(out->slots, hashed);
	return code;
}

void gemp_slot_table_free(gemp_slot_table *slots)
{
	gemp_free(slots->slots);
	*slots = (gemp_slot_table){ 0 };
}

/* A free entry always exists, since less than half of them are taken. */
size_t gemp_slot_index(gemp_slot_table *slots, uint64_t slot)
{
	if (!slots->slots)
		return (size_t)slot;
	for (size_t at = (size_t)gemp_mix(slot) & (slots->count - 1);; at = (at + 1) & (slots->count - 1)) {
		uint64_t there = __atomic_load_n(&slots->slots[at], __ATOMIC_RELAXED);
		if (there == 0 &&
		    __atomic_compare_exchange_n(&slots->slots[at], &there, slot + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return at;
		if (there == slot + 1)
			return at;
	}
}
