#include "transform/conflicts/resolve.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "transform/conflicts/rounds.h"

/* Of fewer tokens the host has decided in the time that moving them to a GPU and the launches of some ten rounds
 * take. */
enum { TOKENS_FOR_DEVICE = 1 << 20 };

static bool on_device(const gemp_resolver *chooser, const gemp_conflict_rounds *game)
{
	const gemp_device *device = chooser->context ? chooser->context->device : NULL;
	if (!device || chooser->on == GEMP_RESOLVE_HOST || !gemp_conflict_rounds_fit(game, device))
		return false;
	return chooser->on == GEMP_RESOLVE_DEVICE || (device->gpu && game->offsets[game->matches] >= TOKENS_FOR_DEVICE);
}

/* Local: all matches are here. */
static gemp_code resolve_local(const gemp_resolver *chooser, const gemp_conflict_keys *tokens, const uint64_t *priority,
                               uint8_t *choice, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	gemp_conflict_rounds game = { 0 };
	double began;
	GEMP_TRY(gemp_conflict_rounds_new(&game, tokens, priority, choice));
	bool there = on_device(chooser, &game);
	began = gemp_now();
	GEMP_TRY(there ? gemp_conflict_rounds_device(&game, chooser->context, rounds)
	               : gemp_conflict_rounds_host(&game, rounds));
	gemp_log(GEMP_VERBOSE, "%zu matches contending, %llu tokens: decided on the %s in %.3f s", game.matches,
	         (unsigned long long)game.offsets[game.matches], there ? "device" : "host", gemp_now() - began);
	for (size_t m = 0; m < game.matches; m++)
		choice[game.rows[m]] = game.decision[m];
done:
	gemp_conflict_rounds_free(&game);
	return code;
}

/* The rank that decides about a seat; at this rank it has the number seat / ranks. */
static int slot_owner(const gemp_comm *comm, uint64_t seat)
{
	return (int)(seat % (uint64_t)comm->size);
}

/* UNCONTENDED. A seat has a bit for each way in which it is touched, and one if it is touched twice. */
enum { TOUCHED = (1 << GEMP_ACCESSES) - 1, TWICE = 1 << GEMP_ACCESSES };

typedef struct contention {
	const gemp_conflict_keys *tokens;
	uint8_t *choice;
	gemp_slot_table slots;
	uint8_t *seats;          /* [slots.count] */
	const uint64_t *touches; /* tokens at this rank, whose seats are divided by `ranks` */
	uint64_t ranks;
	uint64_t *answers; /* of the tokens; NULL: the seats are here */
	uint64_t left;
} contention;

static uint8_t *slot_of(contention *l, uint64_t token)
{
	return &l->seats[gemp_slot_index(&l->slots, gemp_conflict_key_slot(token) / l->ranks)];
}

static void access_range(void *self, size_t range, size_t begin, size_t end)
{
	contention *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint8_t *seat = slot_of(l, l->touches[i]), bit = (uint8_t)(1 << gemp_conflict_key_access(l->touches[i]));
		uint8_t before = __atomic_fetch_or(seat, bit, __ATOMIC_RELAXED);
		if (before & TOUCHED && !(before & TWICE))
			__atomic_fetch_or(seat, (uint8_t)TWICE, __ATOMIC_RELAXED);
	}
}

static bool contended(contention *l, uint64_t token)
{
	uint8_t seat = *slot_of(l, token), both = 1 << GEMP_READS | 1 << GEMP_ADDS;
	return seat & TWICE && (seat & 1 << GEMP_WRITES || (seat & both) == both);
}

static gemp_code access_slots(contention *l, const uint64_t *touches, size_t count)
{
	l->touches = touches;
	GEMP_PROPAGATE(gemp_slot_table_new(&l->slots, l->tokens->slots / l->ranks + 1, count, sizeof *l->seats));
	GEMP_PROPAGATE(GEMP_NEW(l->seats, l->slots.count));
	gemp_for_ranges(count, access_range, l);
	return GEMP_OK;
}

static void answer_range(void *self, size_t range, size_t begin, size_t end)
{
	contention *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		l->answers[i] = contended(l, l->touches[i]);
}

static gemp_code answer_contended(void *self, const void *records, size_t count, uint64_t *answers)
{
	contention here = *(const contention *)self;
	gemp_code code = access_slots(&here, records, count);
	here.answers = answers;
	if (code == GEMP_OK)
		gemp_for_ranges(count, answer_range, &here);
	gemp_slot_table_free(&here.slots);
	gemp_free(here.seats);
	return code;
}

/* Collective. */
static gemp_code request_contended(contention *l, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	size_t count = l->tokens->offsets[l->tokens->matches];
	int *owner = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_new_all(GEMP_ARRAY(l->answers, count), GEMP_ARRAY(owner, count))));
	for (size_t i = 0; i < count; i++)
		owner[i] = slot_owner(comm, gemp_conflict_key_slot(l->tokens->keys[i]));
	const gemp_request request = { l->tokens->keys, count, sizeof *l->tokens->keys, owner, answer_contended, l };
	code = gemp_request_run(comm, &request, l->answers);
done:
	gemp_free(owner);
	return code;
}

static void decide_range(void *self, size_t range, size_t begin, size_t end)
{
	contention *l = self;
	uint64_t left = 0;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		bool waits = false;
		if (l->choice[row] != GEMP_UNDECIDED)
			continue;
		for (uint64_t t = l->tokens->offsets[row]; t < l->tokens->offsets[row + 1] && !waits; t++)
			waits = l->answers ? l->answers[t] != 0 : contended(l, l->tokens->keys[t]);
		if (!waits)
			l->choice[row] = GEMP_SELECTED;
		left += waits;
	}
	__atomic_fetch_add(&l->left, left, __ATOMIC_RELAXED);
}

gemp_code gemp_resolve_uncontended(const gemp_comm *comm, const gemp_conflict_keys *tokens, uint8_t *choice,
                                   uint64_t *left)
{
	gemp_code code = GEMP_OK;
	contention l = { .tokens = tokens, .choice = choice, .ranks = (uint64_t)comm->size };
	if (comm->size == 1)
		GEMP_TRY(access_slots(&l, tokens->keys, tokens->offsets[tokens->matches]));
	else
		GEMP_TRY(request_contended(&l, comm));
	gemp_for_ranges(tokens->matches, decide_range, &l);
	*left = gemp_comm_sum1(comm, l.left);
done:
	gemp_slot_table_free(&l.slots);
	gemp_free_all(l.seats, l.answers);
	return code;
}

/* ROUNDS OVER RANKS. Claims of matches go to the ranks that decide about their seats, once; then states go there and
 * verdicts back, a byte a claim. */

/* A token on its way to the rank that decides about its seat. */
typedef struct claim {
	uint64_t token; /* of the seat's number there; once it is there, of its slot */
	uint64_t priority;
} claim;

/* Claims of matches that have been told to be decided are forgotten on both sides, which therefore hold the same lists:
 * here by deciding rank, there by asking rank, in one order. */
typedef struct partition_claims {
	size_t *size;    /* [ranks] claims of each */
	size_t capacity; /* of bytes received */
	uint8_t *bytes;  /* states sent and verdicts, a byte each */
	void *received;
} partition_claims;

typedef struct resolve_context {
	const gemp_comm *comm;
	const gemp_conflict_keys *tokens;
	const uint64_t *priority;
	uint8_t *choice;
	size_t asked;  /* claims of this rank */
	size_t *match; /* [asked] */
	partition_claims home;
	size_t held;   /* claims that this rank decides about */
	claim *claims; /* [held] */
	partition_claims away;
	gemp_slot_table slots;
	gemp_conflict_slot *seats; /* [slots.count] */
	const uint8_t *states;     /* [held] of this round */
} resolve_context;

/* CLAIMS TO THEIR RANKS */

static void make_claim(resolve_context *c, uint64_t token, size_t match, size_t at, claim *claims, int *owner)
{
	uint64_t seat = gemp_conflict_key_slot(token);
	owner[at] = slot_owner(c->comm, seat);
	c->home.size[owner[at]]++;
	claims[at] = (claim){ gemp_conflict_key(seat / (uint64_t)c->comm->size, gemp_conflict_key_access(token)),
		                  c->priority[match] };
}

/* The order in which claims travel: by rank. */
static void order_matches(resolve_context *c, const int *owner, size_t *next)
{
	const uint64_t *begin = c->tokens->offsets;
	size_t at = 0;
	for (int r = 0; r < c->comm->size; r++)
		next[r + 1] = next[r] + c->home.size[r];
	for (size_t m = 0; m < c->tokens->matches; m++)
		for (uint64_t t = begin[m]; t < begin[m + 1] && c->choice[m] == GEMP_UNDECIDED; t++)
			c->match[next[owner[at++]]++] = m;
}

static gemp_code make_claims(resolve_context *c, claim **claims, int **owner)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)c->comm->size, *next = NULL, at = 0;
	const uint64_t *begin = c->tokens->offsets;
	for (size_t m = 0; m < c->tokens->matches; m++)
		c->asked += c->choice[m] == GEMP_UNDECIDED ? (size_t)(begin[m + 1] - begin[m]) : 0;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(next, ranks + 1), GEMP_ARRAY(*claims, c->asked), GEMP_ARRAY(*owner, c->asked),
	                      GEMP_ARRAY(c->match, c->asked), GEMP_ARRAY(c->home.bytes, c->asked),
	                      GEMP_ARRAY(c->home.size, ranks), GEMP_ARRAY(c->away.size, ranks)));
	for (size_t m = 0; m < c->tokens->matches; m++)
		for (uint64_t t = begin[m]; t < begin[m + 1] && c->choice[m] == GEMP_UNDECIDED; t++)
			make_claim(c, c->tokens->keys[t], m, at++, *claims, *owner);
	order_matches(c, *owner, next);
done:
	gemp_free(next);
	return code;
}

static void slot_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint64_t token = c->claims[i].token;
		c->claims[i].token = gemp_conflict_key(gemp_slot_index(&c->slots, gemp_conflict_key_slot(token)),
		                                       gemp_conflict_key_access(token));
	}
}

static gemp_code assign_slots(resolve_context *c, const size_t *from)
{
	c->held = from[c->comm->size];
	for (int r = 0; r < c->comm->size; r++)
		c->away.size[r] = from[r + 1] - from[r];
	GEMP_PROPAGATE(GEMP_NEW(c->away.bytes, c->held));
	GEMP_PROPAGATE(
		gemp_slot_table_new(&c->slots, c->tokens->slots / (uint64_t)c->comm->size + 1, c->held, sizeof *c->seats));
	GEMP_PROPAGATE(GEMP_NEW(c->seats, c->slots.count));
	gemp_for_ranges(c->held, slot_range, c);
	return GEMP_OK;
}

/* Collective. */
static gemp_code send_claims(resolve_context *c)
{
	gemp_code code = GEMP_OK;
	claim *claims = NULL;
	int *owner = NULL;
	void *received = NULL;
	size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(c->comm, make_claims(c, &claims, &owner)));
	GEMP_TRY(gemp_exchange_records(c->comm, claims, c->asked, sizeof *claims, owner, &received, &from, NULL));
	c->claims = received;
	code = gemp_comm_agree(c->comm, assign_slots(c, from));
done:
	gemp_free_all(claims, owner, from);
	return code;
}

/* ROUNDS */

static gemp_conflict_slot *claimed_slot(const resolve_context *c, size_t i)
{
	return &c->seats[gemp_conflict_key_slot(c->claims[i].token)];
}

static void clear_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		gemp_conflict_slot_clear(claimed_slot(c, i));
}

static void take_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		gemp_access touch = gemp_conflict_key_access(c->claims[i].token);
		if (c->states[i] == GEMP_SELECTED)
			gemp_conflict_slot_select(claimed_slot(c, i), touch);
		else if (c->states[i] == GEMP_UNDECIDED)
			gemp_conflict_slot_enter(claimed_slot(c, i), touch, c->claims[i].priority);
	}
}

static void evaluate_range(void *self, size_t range, size_t begin, size_t end)
{
	resolve_context *c = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		c->away.bytes[i] = (uint8_t)gemp_conflict_slot_evaluate(
			claimed_slot(c, i), gemp_conflict_key_access(c->claims[i].token), c->claims[i].priority);
}

static void drop_received(resolve_context *c)
{
	size_t kept = 0, i = 0;
	for (int r = 0; r < c->comm->size; r++) {
		size_t end = i + c->away.size[r], begin = kept;
		for (; i < end; i++)
			if (c->states[i] == GEMP_UNDECIDED)
				c->claims[kept++] = c->claims[i];
		c->away.size[r] = kept - begin;
	}
	c->held = kept;
}

static void apply_decisions(resolve_context *c, const uint8_t *verdicts)
{
	for (size_t i = 0; i < c->asked; i++)
		if (c->choice[c->match[i]] == GEMP_UNDECIDED)
			c->choice[c->match[i]] = GEMP_SELECTED;
	for (size_t i = 0; i < c->asked; i++) {
		uint8_t *choice = &c->choice[c->match[i]];
		if (c->home.bytes[i] != GEMP_UNDECIDED || *choice == GEMP_REJECTED)
			continue; /* told before, or out already */
		if (verdicts[i] != GEMP_SELECTED)
			*choice = verdicts[i];
	}
}

static void drop_sent(resolve_context *c)
{
	size_t kept = 0, i = 0;
	for (int r = 0; r < c->comm->size; r++) {
		size_t end = i + c->home.size[r], begin = kept;
		for (; i < end; i++)
			if (c->home.bytes[i] == GEMP_UNDECIDED)
				c->match[kept++] = c->match[i];
		c->home.size[r] = kept - begin;
	}
	c->asked = kept;
}

/* Collective. States there, verdicts back. */
static gemp_code run_round(resolve_context *c)
{
	gemp_code code = GEMP_OK;
	size_t *sizes = NULL;
	GEMP_TRY(gemp_comm_agree(c->comm, GEMP_NEW(sizes, (size_t)c->comm->size)));
	for (size_t i = 0; i < c->asked; i++)
		c->home.bytes[i] = c->choice[c->match[i]];
	GEMP_TRY(gemp_exchange(c->comm, c->home.bytes, c->home.size, &c->away.received, &c->away.capacity, sizes, NULL));
	c->states = c->away.received;
	gemp_for_ranges(c->held, clear_range, c);
	gemp_for_ranges(c->held, take_range, c);
	gemp_for_ranges(c->held, evaluate_range, c);
	GEMP_TRY(gemp_exchange(c->comm, c->away.bytes, c->away.size, &c->home.received, &c->home.capacity, sizes, NULL));
	drop_received(c);
	apply_decisions(c, c->home.received);
	drop_sent(c);
done:
	gemp_free(sizes);
	return code;
}

static void free_context(resolve_context *c)
{
	gemp_free_all(c->match, c->claims);
	gemp_slot_table_free(&c->slots);
	gemp_free(c->seats);
	for (int s = 0; s < 2; s++) {
		partition_claims *which = s ? &c->home : &c->away;
		gemp_free_all(which->size, which->bytes, which->received);
	}
}

/* What touches nothing conflicts with nothing. */
static void select_keyless(resolve_context *c)
{
	for (size_t m = 0; m < c->tokens->matches; m++)
		if (c->choice[m] == GEMP_UNDECIDED && c->tokens->offsets[m] == c->tokens->offsets[m + 1])
			c->choice[m] = GEMP_SELECTED;
}

/* Collective. */
static uint64_t undecided(const resolve_context *c)
{
	uint64_t left = 0;
	for (size_t m = 0; m < c->tokens->matches; m++)
		left += c->choice[m] == GEMP_UNDECIDED;
	return gemp_comm_sum1(c->comm, left);
}

static gemp_code resolve_over_ranks(const gemp_comm *comm, const gemp_conflict_keys *tokens, const uint64_t *priority,
                                    uint8_t *choice, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	resolve_context c = { .comm = comm, .tokens = tokens, .priority = priority, .choice = choice };
	select_keyless(&c);
	GEMP_TRY(send_claims(&c));
	for (*rounds = 0; undecided(&c); ++*rounds)
		GEMP_TRY(run_round(&c));
done:
	free_context(&c);
	return code;
}

/* ALL, ONE */

gemp_code gemp_resolve_all(const gemp_resolver *chooser, const gemp_conflict_keys *tokens, const uint64_t *priority,
                           uint8_t *choice, uint64_t *rounds)
{
	return chooser->comm->size == 1 ? resolve_local(chooser, tokens, priority, choice, rounds)
	                                : resolve_over_ranks(chooser->comm, tokens, priority, choice, rounds);
}

gemp_code gemp_resolve_one(const gemp_comm *comm, const gemp_match_keys *matches, const uint64_t *priority,
                           uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	uint64_t best = 0; /* the complement of a priority, so that the greatest is wanted */
	uint64_t *number = NULL;
	for (size_t i = 0; i < matches->count; i++)
		if (choice[i] == GEMP_UNDECIDED && ~priority[i] > best)
			best = ~priority[i];
	gemp_comm_max(comm, &best, 1);
	for (size_t i = 0; i < matches->count; i++)
		choice[i] = choice[i] == GEMP_UNDECIDED && ~priority[i] == best;
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(number, matches->count)));
	GEMP_TRY(gemp_match_order_number(comm, matches, choice, number, NULL));
	for (size_t i = 0; i < matches->count; i++)
		choice[i] = choice[i] && number[i] == 0 ? GEMP_SELECTED : GEMP_REJECTED;
done:
	gemp_free(number);
	return code;
}
