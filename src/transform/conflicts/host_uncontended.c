/* One pass over all keys marks their slots at the owners, who then answer for each key. */

#include "transform/conflicts/host_resolve.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"

/* The state of a slot. It has one bit for each kind of access, and the bit TWICE if at least two keys access the
 * slot. */
enum { ACCESSED = (1 << GEMP_ACCESSES) - 1, TWICE = 1 << GEMP_ACCESSES };

/* With a single rank this rank has all slots. With several ranks the owners of the slots answer for each key of this
 * rank. */
typedef struct contention_context {
	const gemp_conflict_keys *conflict_keys;
	uint8_t *decisions;
	gemp_slot_table slots;
	uint8_t *slot_states;           /* [slots.count] */
	const uint64_t *requested_keys; /* keys of all ranks whose slots this rank owns */
	uint64_t ranks;
	uint8_t *answers;   /* [keys] nonzero: the slot of the key is contended; NULL: slot_states has the states */
	uint64_t undecided; /* number of undecided matches of this rank */
} contention_context;

static void free_contention(contention_context *l)
{
	gemp_slot_table_free(&l->slots);
	gemp_free_all(l->slot_states, l->answers);
}

static uint8_t *slot_of(contention_context *l, uint64_t key)
{
	return &l->slot_states[gemp_slot_table_index(&l->slots, gemp_conflict_key_slot(key) / l->ranks)];
}

/* Sets the access bit, and the bit TWICE if the slot was accessed before. Relaxed atomics are sufficient, since the
 * bits are read after the parallel loop has ended. */
static void mark_accesses(void *self, size_t range, size_t begin, size_t end)
{
	contention_context *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint8_t *slot = slot_of(l, l->requested_keys[i]),
				bit = (uint8_t)(1 << gemp_conflict_key_access(l->requested_keys[i]));
		uint8_t before = __atomic_fetch_or(slot, bit, __ATOMIC_RELAXED);
		if (before & ACCESSED && !(before & TWICE))
			__atomic_fetch_or(slot, (uint8_t)TWICE, __ATOMIC_RELAXED);
	}
}

/* Returns whether at least two matches access the slot and two of their accesses conflict. */
static bool is_contended(contention_context *l, uint64_t key)
{
	uint8_t slot = *slot_of(l, key), both = 1 << GEMP_READS | 1 << GEMP_ADDS;
	return slot & TWICE && (slot & 1 << GEMP_WRITES || (slot & both) == both);
}

/* Local. Marks the accesses of all keys whose slots this rank owns. */
static gemp_code mark_slots(contention_context *l, const uint64_t *keys, size_t count)
{
	l->requested_keys = keys;
	GEMP_TRY(gemp_slot_table_new(&l->slots, l->conflict_keys->slots / l->ranks + 1, count, sizeof *l->slot_states));
	GEMP_TRY(GEMP_NEW(l->slot_states, l->slots.count));
	gemp_for_ranges(count, mark_accesses, l);
	return GEMP_OK;
}

static void answer_range(void *self, size_t range, size_t begin, size_t end)
{
	contention_context *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		l->answers[i] = is_contended(l, l->requested_keys[i]);
}

/* Request handler. First the keys from all ranks are marked, then each key is answered. */
static gemp_code answer_contended(void *self, const void *records, size_t count, uint64_t *answers)
{
	const contention_context *all = self;
	contention_context here = { .conflict_keys = all->conflict_keys, .ranks = all->ranks, .answers = (void *)answers };
	gemp_code code = mark_slots(&here, records, count);
	if (code == GEMP_OK)
		gemp_for_ranges(count, answer_range, &here);
	here.answers = NULL; /* the array belongs to the caller */
	free_contention(&here);
	return code;
}

/* The owners of the slots of this rank's keys. */
typedef struct key_owners {
	const gemp_comm *comm;
	const uint64_t *keys;
	int *owner;
} key_owners;

static void find_owners(void *self, size_t begin, size_t end)
{
	const key_owners *o = self;
	for (size_t i = begin; i < end; i++)
		o->owner[i] = gemp_host_slot_owner(o->comm, gemp_conflict_key_slot(o->keys[i]));
}

/* Collective. The owner of each key's slot answers whether the slot is contended. */
static gemp_code request_contended(contention_context *l, const gemp_comm *comm, gemp_resolve_cost *cost)
{
	size_t count = l->conflict_keys->offsets[l->conflict_keys->matches];
	GEMP_OWNED int *owner = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(l->answers, count), GEMP_ARRAY(owner, count))));
	gemp_for_elements(count, find_owners, &(key_owners){ comm, l->conflict_keys->keys, owner });
	const gemp_request request = { l->conflict_keys->keys, count, sizeof *l->conflict_keys->keys, owner,
		                           answer_contended,       l };
	const double since = gemp_now();
	GEMP_TRY(gemp_request_records(comm, GEMP_OK, &request, sizeof *l->answers, l->answers, &cost->traffic));
	cost->seconds += gemp_now() - since;
	return GEMP_OK;
}

/* A match is selected at once if none of its slots is contended. */
static void decide_range(void *self, size_t range, size_t begin, size_t end)
{
	contention_context *l = self;
	uint64_t left = 0;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		bool waits = false;
		if (l->decisions[row] != GEMP_UNDECIDED)
			continue;
		for (uint64_t t = l->conflict_keys->offsets[row]; t < l->conflict_keys->offsets[row + 1] && !waits; t++)
			waits = l->answers ? l->answers[t] != 0 : is_contended(l, l->conflict_keys->keys[t]);
		if (!waits)
			l->decisions[row] = GEMP_SELECTED;
		left += waits;
	}
	__atomic_fetch_add(&l->undecided, left, __ATOMIC_RELAXED);
}

/* Collective. One pass over the keys selects most matches of a large sparse graph, without priorities and without
 * rounds. */
gemp_code gemp_host_uncontended(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                uint64_t *left, gemp_resolve_cost *cost)
{
	GEMP_OWNED_BY(free_contention)
	contention_context l = { .conflict_keys = conflict_keys, .decisions = decisions, .ranks = (uint64_t)comm->size };
	if (comm->size == 1)
		GEMP_TRY(mark_slots(&l, conflict_keys->keys, conflict_keys->offsets[conflict_keys->matches]));
	else
		GEMP_TRY(request_contended(&l, comm, cost));
	gemp_for_ranges(conflict_keys->matches, decide_range, &l);
	*left = l.undecided;
	return GEMP_OK;
}
