/* tokens: what matches touch, and how.
 *
 * A token is a seat and how it is touched. A seat is whatever two matches can both touch: a vertex, an edge, an
 * attribute of a vertex, ...; the footprint gives seats their numbers. Two matches conflict when one writes what the
 * other touches, or adds to what the other reads; additions go well with one another.
 */
#ifndef GEMP_CHOICE_TOKENS_H
#define GEMP_CHOICE_TOKENS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gemp_touch { GEMP_READS, GEMP_ADDS, GEMP_WRITES, GEMP_TOUCHES } gemp_touch;

typedef struct gemp_tokens {
	size_t matches;
	uint64_t *begin;  /* [matches + 1] of each match's tokens; one that is decided already has none */
	uint64_t *tokens; /* [begin[matches]] gemp_token */
	uint64_t seats;   /* seats are below it; at most 2^62 */
} gemp_tokens;

void gemp_tokens_free(gemp_tokens *tokens);

static inline uint64_t gemp_token(uint64_t seat, gemp_touch touch)
{
	return seat << 2 | (uint64_t)touch;
}

static inline uint64_t gemp_token_seat(uint64_t token)
{
	return token >> 2;
}

static inline gemp_touch gemp_token_touch(uint64_t token)
{
	return (gemp_touch)(token & 3);
}

static inline bool gemp_touches_conflict(gemp_touch a, gemp_touch b)
{
	return a == GEMP_WRITES || b == GEMP_WRITES || a != b;
}

/* SLOTS: of the seats that some tokens name, numbers below `count`. Any thread may ask at any time. */
typedef struct gemp_slots {
	size_t count;
	uint64_t *seats; /* [count] hashed, seat + 1 or 0; NULL: a seat is its slot */
} gemp_slots;

/* seats: all are below it. slot_size: bytes that the caller keeps of each slot; seats are their own slots where that
 * takes less memory than a table of those that `tokens` tokens name. */
gemp_code gemp_slots_new(gemp_slots *out, uint64_t seats, size_t tokens, size_t slot_size);
void gemp_slots_free(gemp_slots *slots);
size_t gemp_slot(gemp_slots *slots, uint64_t seat);

#endif
