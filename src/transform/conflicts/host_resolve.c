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
	gemp_conflict_rounds *problem;
	gemp_resolve_cost *cost;
	uint64_t undecided; /* number of undecided matches of this rank */
	size_t sent_count;  /* number of claims of this rank's matches */
	size_t *match;      /* [sent_count] */
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

/* Claims in the order of matches, before they are sent. */
typedef struct claim_list {
	resolve_context *context;
	claim *claims;       /* [sent_count] */
	int *owner;          /* [sent_count] */
	size_t *of, *places; /* [sent_count] the match of each claim, and the place in the order of deciding ranks */
} claim_list;

static void free_list(claim_list *l)
{
	gemp_free_all(l->claims, l->owner, l->of, l->places);
}

static void claim_range(void *self, size_t range, size_t begin, size_t end)
{
	const claim_list *l = self;
	const resolve_context *c = l->context;
	const gemp_conflict_rounds *g = c->problem;
	(void)range;
	for (size_t m = begin; m < end; m++)
		for (uint64_t t = g->offsets[m]; t < g->offsets[m + 1]; t++) {
			const uint64_t slot = gemp_conflict_key_slot(g->keys[t]), own = slot / (uint64_t)c->comm->size;
			l->owner[t] = gemp_host_slot_owner(c->comm, slot);
			l->claims[t] = (claim){ gemp_conflict_key(own, gemp_conflict_key_access(g->keys[t])), g->priority[m] };
			l->of[t] = m;
		}
}

static void order_range(void *self, size_t range, size_t begin, size_t end)
{
	const claim_list *l = self;
	(void)range;
	for (size_t t = begin; t < end; t++)
		l->context->match[l->places[t]] = l->of[t];
}

/* Local. Makes the claims in the order of matches. c->match gets the order in which the claims are sent, by deciding
 * rank. */
static gemp_code make_claims(claim_list *l)
{
	resolve_context *c = l->context;
	const size_t ranks = (size_t)c->comm->size, count = c->problem->offsets[c->problem->matches];
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(l->claims, count), GEMP_ARRAY(l->owner, count), GEMP_ARRAY(l->of, count),
	                      GEMP_ARRAY(l->places, count), GEMP_ARRAY(c->match, count), GEMP_ARRAY(c->sent.bytes, count),
	                      GEMP_ARRAY(c->sent.size, ranks), GEMP_ARRAY(c->received.size, ranks)));
	c->sent_count = count;
	gemp_for_ranges(c->problem->matches, claim_range, l);
	GEMP_TRY(gemp_owner_places(l->owner, count, c->comm->size, l->places, c->sent.size));
	gemp_for_ranges(count, order_range, l);
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
	GEMP_TRY(gemp_slot_table_new(&c->slots, c->problem->slots / (uint64_t)c->comm->size + 1, c->received_count,
	                             sizeof *c->slot_data));
	GEMP_TRY(GEMP_NEW(c->slot_data, c->slots.count));
	gemp_for_ranges(c->received_count, slot_range, c);
	return GEMP_OK;
}

/* Collective. Claims are sent once, before the first round. */
static gemp_code send_claims(resolve_context *c, gemp_code code)
{
	GEMP_OWNED_BY(free_list) claim_list list = { .context = c };
	void *received = NULL;
	GEMP_OWNED size_t *from = NULL;
	GEMP_THEN(make_claims(&list));
	const double since = gemp_now();
	GEMP_TRY(gemp_exchange_records(c->comm, code, list.claims, c->sent_count, sizeof *list.claims, list.owner,
	                               &received, &from, &c->cost->traffic));
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

/* Stream compaction of a list in place: each range drops its own items, and then the gaps are closed. */
typedef struct compaction {
	const uint8_t *states;
	char *items;
	size_t size;
	size_t begin[GEMP_MAX_RANGES], kept[GEMP_MAX_RANGES];
} compaction;

static void drop_range(void *self, size_t range, size_t begin, size_t end)
{
	compaction *c = self;
	size_t kept = begin;
	for (size_t i = begin; i < end; i++)
		if (c->states[i] == GEMP_UNDECIDED)
			memmove(c->items + kept++ * c->size, c->items + i * c->size, c->size);
	c->begin[range] = begin;
	c->kept[range] = kept - begin;
}

static size_t keep_undecided(const uint8_t *states, char *items, size_t size, size_t count)
{
	compaction c = { .states = states, .items = items, .size = size };
	size_t kept = 0;
	gemp_for_ranges(count, drop_range, &c);
	for (size_t range = 0; range < gemp_range_count(count); range++) {
		memmove(items + kept * size, items + c.begin[range] * size, c.kept[range] * size);
		kept += c.kept[range];
	}
	return kept;
}

/* Removes the claims of decided matches from the list `items`. sizes[ranks] has the number of claims of each rank.
 * Sender and receiver know the same states, so they drop the same claims. Returns the number of remaining claims. */
static size_t drop_decided(const gemp_comm *comm, size_t *sizes, const uint8_t *states, void *items, size_t item_size)
{
	char *list = items;
	size_t kept = 0, at = 0;
	for (int r = 0; r < comm->size; r++) {
		const size_t count = sizes[r];
		sizes[r] = keep_undecided(states + at, list + at * item_size, item_size, count);
		memmove(list + kept * item_size, list + at * item_size, sizes[r] * item_size);
		kept += sizes[r];
		at += count;
	}
	return kept;
}

/* Claims of one match may be in several ranges. */
static void state_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		c->sent.bytes[i] = c->problem->decision[c->match[i]];
}

static void select_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		if (c->sent.bytes[i] == GEMP_UNDECIDED)
			__atomic_store_n(&c->problem->decision[c->match[i]], GEMP_SELECTED, __ATOMIC_RELAXED);
}

static void decide_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	const uint8_t *of_slots = c->sent.buffer;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint8_t *decision = &c->problem->decision[c->match[i]], selected = GEMP_SELECTED;
		if (c->sent.bytes[i] != GEMP_UNDECIDED)
			continue; /* the match was decided before this round */
		if (of_slots[i] == GEMP_REJECTED)
			__atomic_store_n(decision, GEMP_REJECTED, __ATOMIC_RELAXED);
		else if (of_slots[i] == GEMP_UNDECIDED)
			__atomic_compare_exchange_n(decision, &selected, GEMP_UNDECIDED, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	}
}

/* A match is selected if all of its slots agree. It is rejected if one of its slots rejects it. Otherwise it remains
 * undecided. */
static void apply_decisions(resolve_context *c)
{
	gemp_for_ranges(c->sent_count, select_range, c);
	gemp_for_ranges(c->sent_count, decide_range, c);
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
	if (code == GEMP_OK)
		gemp_for_ranges(c->sent_count, state_range, c);
	GEMP_TRY(exchange_bytes(c, code, &c->sent, &c->received, sizes));
	c->states = c->received.buffer;
	gemp_for_ranges(c->received_count, clear_range, c);
	gemp_for_ranges(c->received_count, apply_states, c);
	gemp_for_ranges(c->received_count, evaluate_range, c);
	GEMP_TRY(exchange_bytes(c, GEMP_OK, &c->received, &c->sent, sizes));
	c->received_count = drop_decided(c->comm, c->received.size, c->states, c->claims, sizeof *c->claims);
	apply_decisions(c);
	c->sent_count = drop_decided(c->comm, c->sent.size, c->sent.bytes, c->match, sizeof *c->match);
	return GEMP_OK;
}

static void count_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	uint64_t left = 0;
	(void)range;
	for (size_t m = begin; m < end; m++)
		left += c->problem->decision[m] == GEMP_UNDECIDED;
	__atomic_fetch_add(&c->undecided, left, __ATOMIC_RELAXED);
}

/* Collective. Returns the number of undecided matches on all ranks. */
static uint64_t count_undecided(resolve_context *c)
{
	c->undecided = 0;
	gemp_for_ranges(c->problem->matches, count_range, c);
	return gemp_comm_sum1(c->comm, c->undecided);
}

/* Collective. Runs rounds until no rank has an undecided match. */
gemp_code gemp_host_resolve(const gemp_comm *comm, gemp_code code, gemp_conflict_rounds *problem, uint64_t *rounds,
                            gemp_resolve_cost *cost)
{
	GEMP_OWNED_BY(free_context) resolve_context c = { .comm = comm, .problem = problem, .cost = cost };
	GEMP_TRY(send_claims(&c, code));
	for (*rounds = 0; count_undecided(&c); ++*rounds)
		GEMP_TRY(resolve_round(&c));
	return GEMP_OK;
}
