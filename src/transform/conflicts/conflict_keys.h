/* conflict_keys: lists the conflict slots that matches access, and the kind of each access.
 *
 * A slot is anything that two matches can both access, such as a vertex, an edge, an attribute of a vertex, or all
 * edges of a type. The read/write set numbers the slots (read_write_set.h). A conflict key contains a slot (upper 62
 * bits) and an access (lower 2 bits). Two matches conflict in a slot if one writes it and the other reads, adds to or
 * writes it, or if one adds to it and the other reads it. Two additions do not conflict, since they commute. */

#ifndef GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H
#define GEMP_TRANSFORM_CONFLICTS_CONFLICT_KEYS_H

#include "comm/comm.h"
#include "query/rows/frame.h"
#include "transform/conflicts/read_write_set.h"

typedef struct gemp_conflict_keys {
	size_t matches;
	uint64_t *offsets; /* [matches + 1] where the keys of each match begin; a decided match has no keys */
	uint64_t *keys;    /* [offsets[matches]] gemp_conflict_key */
	uint64_t slots;    /* upper bound of the slots; at most 2^62 */
} gemp_conflict_keys;

/* Collective. Makes the keys of the rows whose decisions[row] is 0. The caller frees *out, also after an error. */
gemp_code gemp_conflict_keys_new(gemp_conflict_keys *out, const gemp_comm *comm, gemp_shard *graph,
                                 const gemp_rw_set *rw_set, const gemp_frame *frame, const uint8_t *decisions);
/* Checks invariants, for assert: the offsets ascend from 0, and there are keys if the offsets require them. */
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

/* A slot table maps the slots of some keys to indices below `count`. The table hashes slots, unless an entry for every
 * slot needs less memory; then a slot is its own index. Several threads may look up slots at the same time. A thread
 * claims an entry by compare-and-swap. */
typedef struct gemp_slot_table {
	size_t count;
	uint64_t *slots; /* [count] hashed: slot + 1, or 0 for a free entry; NULL: a slot is its own index */
} gemp_slot_table;

/* All slots are below slot_bound. slot_size is the number of bytes that the caller needs for each index. */
gemp_code gemp_slot_table_new(gemp_slot_table *out, uint64_t slot_bound, size_t conflict_keys, size_t slot_size);
void gemp_slot_table_free(gemp_slot_table *slots);
size_t gemp_slot_table_index(gemp_slot_table *slots, uint64_t slot);

/* The state of a slot during conflict resolution. */
typedef struct gemp_conflict_slot {
	/* for each kind of access the smallest priority of undecided matches; UINT64_MAX: there is none */
	uint64_t first[GEMP_ACCESSES];
	uint32_t selected; /* one bit for each kind of access of selected matches */
} gemp_conflict_slot;

/* Several threads may enter priorities and evaluate slots at the same time. */
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

/* Returns the decision of this slot about a match with this priority. The match must have entered its priority. The
 * decision is GEMP_REJECTED if a selected match conflicts with the match. It is GEMP_UNDECIDED if an undecided match
 * with a smaller priority conflicts with it. Otherwise it is GEMP_SELECTED. */
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
