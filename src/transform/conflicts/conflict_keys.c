#include "transform/conflicts/conflict_keys.h"

#include "core/memory.h"
#include "core/random.h"

enum { FEW_SEATS = 1 << 12 };

void gemp_conflict_keys_free(gemp_conflict_keys *tokens)
{
	gemp_free_all(tokens->offsets, tokens->keys);
	*tokens = (gemp_conflict_keys){ 0 };
}

gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t seats, size_t tokens, size_t slot_size)
{
	gemp_code code = GEMP_OK;
	size_t hashed = 2;
	*out = (gemp_slot_table){ 0 };
	while (hashed < 2 * tokens)
		hashed *= 2;
	if (seats <= FEW_SEATS || seats <= hashed * (sizeof *out->slots + slot_size) / slot_size) {
		out->count = (size_t)seats;
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

/* Less than half of the slots are taken, so that there always is a free one. */
size_t gemp_slot_index(gemp_slot_table *slots, uint64_t seat)
{
	if (!slots->slots)
		return (size_t)seat;
	for (size_t at = (size_t)gemp_mix(seat) & (slots->count - 1);; at = (at + 1) & (slots->count - 1)) {
		uint64_t there = __atomic_load_n(&slots->slots[at], __ATOMIC_RELAXED);
		if (there == 0 &&
		    __atomic_compare_exchange_n(&slots->slots[at], &there, seat + 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return at;
		if (there == seat + 1)
			return at;
	}
}
