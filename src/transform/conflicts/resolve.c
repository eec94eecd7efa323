#include "transform/conflicts/resolve.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "transform/conflicts/rounds.h"

#include <assert.h>
#include <string.h>

/* With fewer keys the host finishes before a GPU has received the keys and has launched the kernels of about ten
 * rounds. */
enum { MIN_DEVICE_KEYS = 1 << 20 };

/* Local, since there is a single rank. *device becomes true if the rounds run on the device. If the caller does not
 * choose the place, MIN_DEVICE_KEYS decides. Devices are opened only if there are enough keys. */
static gemp_code choose_place(const gemp_resolver *resolver, const gemp_conflict_rounds *problem, bool *device)
{
	gemp_runtime *context = resolver->context;
	bool forced = resolver->on == GEMP_PLACE_DEVICE;
	*device = false;
	if (!context || resolver->on == GEMP_PLACE_HOST ||
	    (!forced && problem->offsets[problem->matches] < MIN_DEVICE_KEYS))
		return GEMP_OK;
	GEMP_TRY(gemp_runtime_open_devices(context));
	*device = gemp_conflict_rounds_fit(problem, context->device) && (forced || context->device->gpu);
	return GEMP_OK;
}

/* Local. With a single rank all matches are here, so the rounds run on flat arrays, on the host or on the device. */
static gemp_code resolve_local(const gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys,
                               const uint64_t *priority, uint8_t *decisions, uint64_t *rounds)
{
	GEMP_OWNED_BY(gemp_conflict_rounds_free) gemp_conflict_rounds problem = { 0 };
	bool device;
	double began;
	GEMP_TRY(gemp_conflict_rounds_new(&problem, conflict_keys, priority, decisions));
	GEMP_TRY(choose_place(resolver, &problem, &device));
	began = gemp_now();
	GEMP_TRY(device ? gemp_conflict_rounds_device(&problem, resolver->context, rounds)
	                : gemp_conflict_rounds_host(&problem, rounds));
	gemp_log(GEMP_VERBOSE, "%zu contending matches with %llu conflict keys, decided on the %s in %.3f s",
	         problem.matches, (unsigned long long)problem.offsets[problem.matches], device ? "device" : "host",
	         gemp_now() - began);
	for (size_t m = 0; m < problem.matches; m++)
		decisions[problem.rows[m]] = problem.decision[m];
	return GEMP_OK;
}

/* Returns the rank that decides about a slot. On this rank the slot has the number slot / ranks, so the numbers are
 * dense. */
static int slot_owner(const gemp_comm *comm, uint64_t slot)
{
	return (int)(slot % (uint64_t)comm->size);
}

/* UNCONTENDED MATCHES */

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
	uint64_t *answers;  /* [keys] nonzero: the slot of the key is contended; NULL: slot_states has the states */
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
	contention_context here = { .conflict_keys = all->conflict_keys, .ranks = all->ranks, .answers = answers };
	gemp_code code = mark_slots(&here, records, count);
	if (code == GEMP_OK)
		gemp_for_ranges(count, answer_range, &here);
	here.answers = NULL; /* the array belongs to the caller */
	free_contention(&here);
	return code;
}

/* Collective. The owner of each key's slot answers whether the slot is contended. */
static gemp_code request_contended(contention_context *l, const gemp_comm *comm)
{
	size_t count = l->conflict_keys->offsets[l->conflict_keys->matches];
	GEMP_OWNED int *owner = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(l->answers, count), GEMP_ARRAY(owner, count))));
	for (size_t i = 0; i < count; i++)
		owner[i] = slot_owner(comm, gemp_conflict_key_slot(l->conflict_keys->keys[i]));
	const gemp_request request = { l->conflict_keys->keys, count, sizeof *l->conflict_keys->keys, owner,
		                           answer_contended,       l };
	return gemp_request_run(comm, GEMP_OK, &request, l->answers);
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
gemp_code gemp_resolve_uncontended(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                   uint64_t *left)
{
	assert(gemp_conflict_keys_is_valid(conflict_keys));
	GEMP_OWNED_BY(free_contention)
	contention_context l = { .conflict_keys = conflict_keys, .decisions = decisions, .ranks = (uint64_t)comm->size };
	if (comm->size == 1)
		GEMP_TRY(mark_slots(&l, conflict_keys->keys, conflict_keys->offsets[conflict_keys->matches]));
	else
		GEMP_TRY(request_contended(&l, comm));
	gemp_for_ranges(conflict_keys->matches, decide_range, &l);
	*left = gemp_comm_sum1(comm, l.undecided);
	return GEMP_OK;
}

/* ROUNDS OVER RANKS */

/* A claim is a conflict key of an undecided match, on the rank that decides about its slot. Claims are sent once. In
 * each round the states of the matches are sent to the deciding ranks, and the decisions of the slots are sent back,
 * one byte for each claim. */
typedef struct claim {
	uint64_t key; /* once the claims have arrived, the slot in the key is an index of the deciding rank's table */
	uint64_t priority;
} claim;

/* The claims of one side, which is the sender or the receiver. The sender orders its claims by deciding rank, the
 * receiver by sending rank. Both sides drop the claims of decided matches in the same order, so their lists remain the
 * same. */
typedef struct claim_exchange {
	size_t *size;    /* [ranks] number of claims for each rank */
	uint8_t *bytes;  /* bytes to send: states of matches, or decisions of slots */
	void *buffer;    /* received bytes */
	size_t capacity; /* capacity of the buffer */
} claim_exchange;

/* The state of the rounds. Every rank is both sender and receiver. */
typedef struct resolve_context {
	const gemp_comm *comm;
	const gemp_conflict_keys *conflict_keys;
	const uint64_t *priority;
	uint8_t *decisions;
	size_t sent_count; /* number of claims of this rank's matches */
	size_t *match;     /* [sent_count] */
	claim_exchange sent;
	size_t received_count; /* number of claims about which this rank decides */
	claim *claims;         /* [received_count] */
	claim_exchange received;
	gemp_slot_table slots;
	gemp_conflict_slot *slot_data; /* [slots.count] */
	const uint8_t *states;         /* [received_count] states of the matches in this round */
} resolve_context;

static void free_context(resolve_context *c)
{
	gemp_slot_table_free(&c->slots);
	gemp_free_all(c->match, c->claims, c->slot_data, c->sent.size, c->sent.bytes, c->sent.buffer, c->received.size,
	              c->received.bytes, c->received.buffer);
}

/* Local. Makes the claims in the order of matches. c->match gets the order in which the claims are sent, by deciding
 * rank. */
static gemp_code make_claims(resolve_context *c, claim **claims, int **owner)
{
	const gemp_conflict_keys *k = c->conflict_keys;
	const size_t ranks = (size_t)c->comm->size;
	GEMP_OWNED size_t *next = NULL; /* [ranks + 1] position of the next claim for each rank */
	size_t at = 0;
	for (size_t m = 0; m < k->matches; m++)
		c->sent_count += c->decisions[m] == GEMP_UNDECIDED ? (size_t)(k->offsets[m + 1] - k->offsets[m]) : 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(next, ranks + 1), GEMP_ARRAY(*claims, c->sent_count),
	                      GEMP_ARRAY(*owner, c->sent_count), GEMP_ARRAY(c->match, c->sent_count),
	                      GEMP_ARRAY(c->sent.bytes, c->sent_count), GEMP_ARRAY(c->sent.size, ranks),
	                      GEMP_ARRAY(c->received.size, ranks)));
	for (size_t m = 0; m < k->matches; m++)
		for (uint64_t t = k->offsets[m]; t < k->offsets[m + 1] && c->decisions[m] == GEMP_UNDECIDED; t++) {
			uint64_t slot = gemp_conflict_key_slot(k->keys[t]);
			gemp_access access = gemp_conflict_key_access(k->keys[t]);
			(*owner)[at] = slot_owner(c->comm, slot);
			c->sent.size[(*owner)[at]]++;
			(*claims)[at++] = (claim){ gemp_conflict_key(slot / ranks, access), c->priority[m] };
		}
	for (size_t r = 0; r < ranks; r++)
		next[r + 1] = next[r] + c->sent.size[r];
	at = 0;
	for (size_t m = 0; m < k->matches; m++)
		for (uint64_t t = k->offsets[m]; t < k->offsets[m + 1] && c->decisions[m] == GEMP_UNDECIDED; t++)
			c->match[next[(*owner)[at++]]++] = m;
	return GEMP_OK;
}

/* Replaces the slots in claims by indices of this rank's table. */
static void slot_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint64_t key = c->claims[i].key;
		c->claims[i].key = gemp_conflict_key(gemp_slot_table_index(&c->slots, gemp_conflict_key_slot(key)),
		                                     gemp_conflict_key_access(key));
	}
}

/* Local. Prepares the receiver. The claims of rank r begin at from[r]; the array has ranks + 1 entries. */
static gemp_code assign_slots(resolve_context *c, const size_t *from)
{
	c->received_count = from[c->comm->size];
	for (int r = 0; r < c->comm->size; r++)
		c->received.size[r] = from[r + 1] - from[r];
	GEMP_TRY(GEMP_NEW(c->received.bytes, c->received_count));
	GEMP_TRY(gemp_slot_table_new(&c->slots, c->conflict_keys->slots / (uint64_t)c->comm->size + 1, c->received_count,
	                             sizeof *c->slot_data));
	GEMP_TRY(GEMP_NEW(c->slot_data, c->slots.count));
	gemp_for_ranges(c->received_count, slot_range, c);
	return GEMP_OK;
}

/* Collective. Claims are sent once, before the first round. */
static gemp_code send_claims(resolve_context *c)
{
	GEMP_OWNED claim *claims = NULL;
	GEMP_OWNED int *owner = NULL;
	void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	gemp_code code = make_claims(c, &claims, &owner);
	GEMP_TRY(
		gemp_exchange_records(c->comm, code, claims, c->sent_count, sizeof *claims, owner, &received, &from, NULL));
	c->claims = received;
	return gemp_comm_agree(c->comm, assign_slots(c, from));
}

static gemp_conflict_slot *claimed_slot(const resolve_context *c, size_t i)
{
	return &c->slot_data[gemp_conflict_key_slot(c->claims[i].key)];
}

static void clear_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		gemp_conflict_slot_clear(claimed_slot(c, i));
}

/* Selected matches occupy their slots in all later rounds. Undecided matches enter their priorities. */
static void apply_states(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		gemp_access access = gemp_conflict_key_access(c->claims[i].key);
		if (c->states[i] == GEMP_SELECTED)
			gemp_conflict_slot_select(claimed_slot(c, i), access);
		else if (c->states[i] == GEMP_UNDECIDED)
			gemp_conflict_slot_enter(claimed_slot(c, i), access, c->claims[i].priority);
	}
}

/* Makes a decision for each claim from the state of its slot. */
static void evaluate_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		c->received.bytes[i] = (uint8_t)gemp_conflict_slot_evaluate(
			claimed_slot(c, i), gemp_conflict_key_access(c->claims[i].key), c->claims[i].priority);
}

/* Removes the claims of decided matches from the list `items`. sizes[ranks] has the number of claims of each rank.
 * Sender and receiver know the same states, so they drop the same claims. Returns the number of remaining claims. */
static size_t drop_decided(const gemp_comm *comm, size_t *sizes, const uint8_t *states, void *items, size_t item_size)
{
	char *list = items;
	size_t kept = 0, i = 0;
	for (int r = 0; r < comm->size; r++) {
		size_t end = i + sizes[r], begin = kept;
		for (; i < end; i++)
			if (states[i] == GEMP_UNDECIDED)
				memmove(list + kept++ * item_size, list + i * item_size, item_size);
		sizes[r] = kept - begin;
	}
	return kept;
}

/* A match is selected if all of its slots agree. It is rejected if one of its slots rejects it. Otherwise it remains
 * undecided. */
static void apply_decisions(resolve_context *c, const uint8_t *of_slots)
{
	for (size_t i = 0; i < c->sent_count; i++)
		if (c->decisions[c->match[i]] == GEMP_UNDECIDED)
			c->decisions[c->match[i]] = GEMP_SELECTED;
	for (size_t i = 0; i < c->sent_count; i++) {
		uint8_t *decision = &c->decisions[c->match[i]];
		if (c->sent.bytes[i] != GEMP_UNDECIDED || *decision == GEMP_REJECTED)
			continue; /* the match was decided before this round, or another slot has rejected it */
		if (of_slots[i] != GEMP_SELECTED)
			*decision = of_slots[i];
	}
}

/* Collective. Sends the states of matches to the deciding ranks, which send the decisions of the slots back. */
static gemp_code resolve_round(resolve_context *c)
{
	GEMP_OWNED size_t *sizes = NULL;
	gemp_code code = GEMP_NEW(sizes, (size_t)c->comm->size);
	for (size_t i = 0; code == GEMP_OK && i < c->sent_count; i++)
		c->sent.bytes[i] = c->decisions[c->match[i]];
	GEMP_TRY(gemp_exchange(c->comm, code, c->sent.bytes, c->sent.size, &c->received.buffer, &c->received.capacity,
	                       sizes, NULL));
	c->states = c->received.buffer;
	gemp_for_ranges(c->received_count, clear_range, c);
	gemp_for_ranges(c->received_count, apply_states, c);
	gemp_for_ranges(c->received_count, evaluate_range, c);
	GEMP_TRY(gemp_exchange(c->comm, GEMP_OK, c->received.bytes, c->received.size, &c->sent.buffer, &c->sent.capacity,
	                       sizes, NULL));
	c->received_count = drop_decided(c->comm, c->received.size, c->states, c->claims, sizeof *c->claims);
	apply_decisions(c, c->sent.buffer);
	c->sent_count = drop_decided(c->comm, c->sent.size, c->sent.bytes, c->match, sizeof *c->match);
	return GEMP_OK;
}

/* A match without keys has no conflicts. */
static void select_keyless(resolve_context *c)
{
	for (size_t m = 0; m < c->conflict_keys->matches; m++)
		if (c->decisions[m] == GEMP_UNDECIDED && c->conflict_keys->offsets[m] == c->conflict_keys->offsets[m + 1])
			c->decisions[m] = GEMP_SELECTED;
}

/* Collective. Returns the number of undecided matches on all ranks. */
static uint64_t count_undecided(const resolve_context *c)
{
	uint64_t left = 0;
	for (size_t m = 0; m < c->conflict_keys->matches; m++)
		left += c->decisions[m] == GEMP_UNDECIDED;
	return gemp_comm_sum1(c->comm, left);
}

/* Collective. Runs rounds until no rank has an undecided match. */
static gemp_code resolve_over_ranks(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys,
                                    const uint64_t *priority, uint8_t *decisions, uint64_t *rounds)
{
	GEMP_OWNED_BY(free_context)
	resolve_context c = { .comm = comm, .conflict_keys = conflict_keys, .priority = priority, .decisions = decisions };
	select_keyless(&c);
	GEMP_TRY(send_claims(&c));
	for (*rounds = 0; count_undecided(&c); ++*rounds)
		GEMP_TRY(resolve_round(&c));
	return GEMP_OK;
}

/* ALL MATCHES, OR ONE */

gemp_code gemp_resolve_all(const gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys,
                           const uint64_t *priority, uint8_t *decisions, uint64_t *rounds)
{
	assert(gemp_conflict_keys_is_valid(conflict_keys));
	return resolver->comm->size == 1 ? resolve_local(resolver, conflict_keys, priority, decisions, rounds)
	                                 : resolve_over_ranks(resolver->comm, conflict_keys, priority, decisions, rounds);
}

/* The ranks find the smallest priority as the maximum of the complements. The order of tuples breaks ties. */
gemp_code gemp_resolve_one(const gemp_comm *comm, const gemp_match_keys *matches, const uint64_t *priority,
                           uint8_t *decisions)
{
	uint64_t best = 0; /* the complement of a priority; the smallest priority has the largest complement */
	GEMP_OWNED uint64_t *number = NULL;
	for (size_t i = 0; i < matches->count; i++)
		if (decisions[i] == GEMP_UNDECIDED && ~priority[i] > best)
			best = ~priority[i];
	gemp_comm_max(comm, &best, 1);
	for (size_t i = 0; i < matches->count; i++)
		decisions[i] = decisions[i] == GEMP_UNDECIDED && ~priority[i] == best;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(number, matches->count)));
	GEMP_TRY(gemp_match_order_number(comm, matches, decisions, number, NULL));
	for (size_t i = 0; i < matches->count; i++)
		decisions[i] = decisions[i] && number[i] == 0 ? GEMP_SELECTED : GEMP_REJECTED;
	return GEMP_OK;
}
