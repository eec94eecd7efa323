/* tokens: what matches touch, and how.
 *
 * A token is a seat and how it is touched. A seat is whatever two matches can both touch: a vertex, an edge, an
 * attribute of a vertex, ...; the footprint gives seats their numbers. Two matches conflict when one writes what the
 * other touches, or adds to what the other reads; additions go well with one another.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H
#define GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gemp_access { GEMP_READS, GEMP_ADDS, GEMP_WRITES, GEMP_ACCESSES } gemp_access;

typedef struct gemp_conflict_keys {
	size_t matches;
	uint64_t *offsets; /* [matches + 1] of each match's tokens; one that is decided already has none */
	uint64_t *keys;    /* [begin[matches]] gemp_conflict_key */
	uint64_t slots;    /* seats are below it; at most 2^62 */
} gemp_conflict_keys;

void gemp_conflict_keys_free(gemp_conflict_keys *tokens);

static inline uint64_t gemp_conflict_key(uint64_t seat, gemp_access touch)
{
	return seat << 2 | (uint64_t)touch;
}

static inline uint64_t gemp_conflict_key_slot(uint64_t token)
{
	return token >> 2;
}

static inline gemp_access gemp_conflict_key_access(uint64_t token)
{
	return (gemp_access)(token & 3);
}

static inline bool gemp_accesses_conflict(gemp_access a, gemp_access b)
{
	return a == GEMP_WRITES || b == GEMP_WRITES || a != b;
}

/* SLOTS: of the seats that some tokens name, numbers below `count`. Any thread may ask at any time. */
typedef struct gemp_slot_table {
	size_t count;
	uint64_t *slots; /* [count] hashed, seat + 1 or 0; NULL: a seat is its slot */
} gemp_slot_table;

/* seats: all are below it. slot_size: bytes that the caller keeps of each slot; seats are their own slots where that
 * takes less memory than a table of those that `tokens` tokens name. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t seats, size_t tokens, size_t slot_size);
void gemp_slot_table_free(gemp_slot_table *slots);
size_t gemp_slot_index(gemp_slot_table *slots, uint64_t seat);

/* seat: what is known of a seat while a choice is made. */

typedef struct gemp_conflict_slot {
	uint64_t first[GEMP_ACCESSES]; /* least priority of undecided matches that touch it so; UINT64_MAX: none does */
	uint32_t selected;             /* bit: how chosen matches touch it */
} gemp_conflict_slot;

/* Several threads may enter and choose at the same time. */
static inline void gemp_conflict_slot_clear(gemp_conflict_slot *seat)
{
	for (gemp_access touch = GEMP_READS; touch < GEMP_ACCESSES; touch++)
		__atomic_store_n(&seat->first[touch], UINT64_MAX, __ATOMIC_RELAXED);
}

static inline void gemp_conflict_slot_enter(gemp_conflict_slot *seat, gemp_access touch, uint64_t priority)
{
	uint64_t *first = &seat->first[touch], there = __atomic_load_n(first, __ATOMIC_RELAXED);
	while (priority < there &&
	       !__atomic_compare_exchange_n(first, &there, priority, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline void gemp_conflict_slot_select(gemp_conflict_slot *seat, gemp_access touch)
{
	__atomic_fetch_or(&seat->selected, 1u << touch, __ATOMIC_RELAXED);
}

typedef enum gemp_match_decision { GEMP_UNDECIDED, GEMP_SELECTED, GEMP_REJECTED } gemp_match_decision;

/* Of a match of this priority that has entered: chosen, as far as this seat is concerned; undecided if a conflicting
 * one comes before it; out if one is chosen. */
static inline gemp_match_decision gemp_conflict_slot_evaluate(const gemp_conflict_slot *seat, gemp_access touch,
                                                              uint64_t priority)
{
	gemp_match_decision choice = GEMP_SELECTED;
	for (gemp_access other = GEMP_READS; other < GEMP_ACCESSES; other++) {
		if (!gemp_accesses_conflict(touch, other))
			continue;
		if (seat->selected & 1u << other)
			return GEMP_REJECTED;
		if (seat->first[other] < priority)
			choice = GEMP_UNDECIDED;
	}
	return choice;
}

#endif
