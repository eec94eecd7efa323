/* Rounds over ranks on their hosts. */

#include "transform/conflicts/host_resolve.h"

#include "core/memory.h"
#include "core/threads.h"
#include "core/timer.h"

#include <string.h>

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
	gemp_resolve_cost *cost;
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
			(*owner)[at] = gemp_host_slot_owner(c->comm, slot);
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
	const double since = gemp_now();
	GEMP_TRY(gemp_exchange_records(c->comm, code, claims, c->sent_count, sizeof *claims, owner, &received, &from,
	                               &c->cost->traffic));
	c->cost->seconds += gemp_now() - since;
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

/* Collective. sizes[ranks] becomes the sizes of what has arrived, which both sides know. */
static gemp_code exchange_bytes(resolve_context *c, gemp_code code, const claim_exchange *from, claim_exchange *to,
                                size_t *sizes)
{
	const double since = gemp_now();
	GEMP_TRY(
		gemp_exchange(c->comm, code, from->bytes, from->size, &to->buffer, &to->capacity, sizes, &c->cost->traffic));
	c->cost->seconds += gemp_now() - since;
	return GEMP_OK;
}

/* Collective. Sends the states of matches to the deciding ranks, which send the decisions of the slots back. */
static gemp_code resolve_round(resolve_context *c)
{
	GEMP_OWNED size_t *sizes = NULL;
	gemp_code code = GEMP_NEW(sizes, (size_t)c->comm->size);
	for (size_t i = 0; code == GEMP_OK && i < c->sent_count; i++)
		c->sent.bytes[i] = c->decisions[c->match[i]];
	GEMP_TRY(exchange_bytes(c, code, &c->sent, &c->received, sizes));
	c->states = c->received.buffer;
	gemp_for_ranges(c->received_count, clear_range, c);
	gemp_for_ranges(c->received_count, apply_states, c);
	gemp_for_ranges(c->received_count, evaluate_range, c);
	GEMP_TRY(exchange_bytes(c, GEMP_OK, &c->received, &c->sent, sizes));
	c->received_count = drop_decided(c->comm, c->received.size, c->states, c->claims, sizeof *c->claims);
	apply_decisions(c, c->sent.buffer);
	c->sent_count = drop_decided(c->comm, c->sent.size, c->sent.bytes, c->match, sizeof *c->match);
	return GEMP_OK;
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
gemp_code gemp_host_resolve(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys, const uint64_t *priority,
                            uint8_t *decisions, uint64_t *rounds, gemp_resolve_cost *cost)
{
	GEMP_OWNED_BY(free_context)
	resolve_context c = {
		.comm = comm, .conflict_keys = conflict_keys, .priority = priority, .decisions = decisions, .cost = cost
	};
	GEMP_TRY(send_claims(&c));
	for (*rounds = 0; count_undecided(&c); ++*rounds)
		GEMP_TRY(resolve_round(&c));
	return GEMP_OK;
}
