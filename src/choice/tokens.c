#include "choice/tokens.h"

#include "core/memory.h"
#include "core/random.h"

enum { FEW_SEATS = 1 << 12 };

void gemp_tokens_free(gemp_tokens *tokens)
{
	gemp_free(tokens->begin);
	gemp_free(tokens->tokens);
	*tokens = (gemp_tokens){ 0 };
}

gemp_code gemp_slots_new(gemp_slots *out, uint64_t seats, size_t tokens, size_t slot_size)
{
	gemp_code code = GEMP_OK;
	size_t hashed = 2;
	*out = (gemp_slots){ 0 };
	while (hashed < 2 * tokens)
		hashed *= 2;
	if (seats <= FEW_SEATS || seats <= hashed * (sizeof *out->seats + slot_size) / slot_size) {
		out->count = (size_t)seats;
		return GEMP_OK;
	}
	out->count = hashed;
	code = GEMP_NEW(out->seats, hashed);
	return code;
}

void gemp_slots_free(gemp_slots *slots)
{
	gemp_free(slots->seats);
	*slots = (gemp_slots){ 0 };
}

/* Less than half of the slots are taken, so that there always is a free one. */
size_t gemp_slot(gemp_slots *slots, uint64_t seat)
{
	if (!slots->seats)
		return (size_t)seat;
	for (size_t at = (size_t)gemp_mix(seat) & (slots->count - 1);; at = (at + 1) & (slots->count - 1)) {
		uint64_t there = __atomic_load_n(&slots->seats[at], __ATOMIC_RELAXED);
		if (there == 0 && __atomic_compare_exchange_n(&slots->seats[at], &there, seat + 1, false, __ATOMIC_RELAXED,
		                                              __ATOMIC_RELAXED))
			return at;
		if (there == seat + 1)
			return at;
	}
}
