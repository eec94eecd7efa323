/* conflict_keys: the conflict slots that matches access, and how.
 *
 * A slot is anything that two matches can both access: a vertex, an edge, an attribute of a vertex, all edges of a
 * type. The read/write set numbers the slots (read_write_set.h). A conflict key packs a slot (upper 62 bits) and
 * an access (lower 2). Two matches conflict in a slot when one writes it and the other accesses it at all, or when
 * one adds to it and the other reads it; additions commute.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H
#define GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H

#include "comm/comm.h"
#include "query/rows/frame.h"
#include "transform/conflicts/read_write_set.h"

typedef struct gemp_conflict_keys {
	size_t matches;
	uint64_t *offsets; /* [matches + 1] of each match's keys; a match that is decided already has none */
	uint64_t *keys;    /* [offsets[matches]] gemp_conflict_key */
	uint64_t slots;    /* slots are below it; at most 2^62 */
} gemp_conflict_keys;

/* Collective. The keys of the rows whose decisions[row] is 0. The caller frees *out, also after an error. */
gemp_code gemp_conflict_keys_new(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                                 const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions);
/* A quick check of invariants, for assert: offsets ascend from 0, and there are keys if offsets say so. */
bool gemp_conflict_keys_is_valid(const gemp_conflict_keys *conflict_keys);
void gemp_conflict_keys_free(gemp_conflict_keys *conflict_keys);

static inline uint64_t gemp_conflict_key(uint64_t slot, gemp_access access)
{
	return slot << 2 | (uint64_t)access;
}

static inline uint64_t gemp_conflict_key_slot(uint64_t key)
{
	return key >> 2;
}

static inline gemp_access gemp_conflict_key_access(uint64_t key)
{
	return (gemp_access)(key & 3);
}

static inline bool gemp_accesses_conflict(gemp_access a, gemp_access b)
{
	return a == GEMP_WRITES || b == GEMP_WRITES || a != b;
}

/* A slot table gives the slots of some keys indices below `count`. Where hashing them would take more memory than an
 * entry for every slot, a slot is its own index. Threads may look up at the same time: an entry is claimed by
 * compare-and- swap. */
typedef struct gemp_slot_table {
	size_t count;
	uint64_t *slots; /* [count] hashed: slot + 1, or 0 for a free entry; NULL: a slot is its own index */
} gemp_slot_table;

/* All slots are below slot_bound. slot_size: bytes that the caller keeps for each index. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t slot_bound, size_t conflict_keys, size_t slot_size);
void gemp_slot_table_free(gemp_slot_table *slots);
size_t gemp_slot_table_index(gemp_slot_table *slots, uint64_t slot);

/* State of a slot while conflicts are resolved. */
typedef struct gemp_conflict_slot {
	/* the smallest priority of undecided matches with each access; UINT64_MAX: there are none */
	uint64_t first[GEMP_ACCESSES];
	uint32_t selected; /* a bit for each access of selected matches */
} gemp_conflict_slot;

/* Several threads may enter and evaluate slots at the same time. */
static inline void gemp_conflict_slot_clear(gemp_conflict_slot *slot)
{
	for (gemp_access access = GEMP_READS; access < GEMP_ACCESSES; access++)
		__atomic_store_n(&slot->first[access], UINT64_MAX, __ATOMIC_RELAXED);
}

static inline void gemp_conflict_slot_enter(gemp_conflict_slot *slot, gemp_access access, uint64_t priority)
{
	uint64_t *first = &slot->first[access], there = __atomic_load_n(first, __ATOMIC_RELAXED);
	while (priority < there &&
	       !__atomic_compare_exchange_n(first, &there, priority, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline void gemp_conflict_slot_select(gemp_conflict_slot *slot, gemp_access access)
{
	__atomic_fetch_or(&slot->selected, 1u << access, __ATOMIC_RELAXED);
}

typedef enum gemp_match_decision { GEMP_UNDECIDED, GEMP_SELECTED, GEMP_REJECTED } gemp_match_decision;

/* The decision about a match of this priority that has entered, as far as this slot is concerned: rejected if a
 * selected match conflicts, undecided if a conflicting match of lower priority number is undecided, else selected. */
static inline gemp_match_decision gemp_conflict_slot_evaluate(const gemp_conflict_slot *slot, gemp_access access,
                                                              uint64_t priority)
{
	gemp_match_decision decision = GEMP_SELECTED;
	for (gemp_access other = GEMP_READS; other < GEMP_ACCESSES; other++) {
		if (!gemp_accesses_conflict(access, other))
			continue;
		if (slot->selected & 1u << other)
			return GEMP_REJECTED;
		if (slot->first[other] < priority)
			decision = GEMP_UNDECIDED;
	}
	return decision;
}

#endif
