#include "transform/choose.h"

#include "comm/exchange.h"
#include "core/memory.h"
#include "core/random.h"

#include <stdlib.h>

/* A token on its way to the rank that decides about it. */
typedef struct claim {
	uint64_t element;
	uint32_t aspect, touch;
	gemp_rival rival;
} claim;

/* What is known of one token at its rank: the first undecided match of each touch, and how chosen ones touch it. */
typedef struct seat {
	gemp_rival first[GEMP_TOUCHES];
	bool undecided[GEMP_TOUCHES], chosen[GEMP_TOUCHES];
} seat;

typedef enum verdict { FREE, WAITS, BEATEN } verdict;

/* Claims of matches that have been told to be decided are forgotten on both sides, which therefore hold the same lists:
 * here by deciding rank, there by asking rank, in one order. */
typedef struct side {
	size_t *size;     /* [ranks] claims of each */
	size_t capacity;  /* of bytes received */
	uint8_t *bytes;   /* states sent and verdicts, a byte each */
	void *received;
} side;

typedef struct choosing {
	const gemp_comm *comm;
	const gemp_rival *rivals;
	uint8_t *choice;
	size_t asked;     /* claims of this rank */
	size_t *match;    /* [asked] */
	side home;
	size_t held;      /* claims that this rank decides about */
	claim *claims;    /* [held] */
	size_t *seat_of;  /* [held] */
	size_t *live;     /* [held] of these, those not forgotten */
	side away;
	size_t seat_count;
	seat *seats;
} choosing;

static bool before(const gemp_rival *a, const gemp_rival *b)
{
	return a->priority != b->priority ? a->priority < b->priority : a->place < b->place;
}

static bool conflict(uint32_t a, uint32_t b)
{
	return a == GEMP_WRITES || b == GEMP_WRITES || a != b;
}

/* CLAIMS TO THEIR RANKS */

static int owner_of(const gemp_comm *comm, const gemp_token *token)
{
	return (int)(gemp_mix(token->element ^ gemp_mix(token->aspect)) % (uint64_t)comm->size);
}

static gemp_code make_claims(choosing *c, const gemp_tokens *tokens, claim **claims, int **owner)
{
	gemp_code code = GEMP_OK;
	size_t ranks = (size_t)c->comm->size, *next = NULL, at = 0;
	GEMP_TRY(GEMP_NEW(next, ranks + 1));
	GEMP_TRY(GEMP_NEW(*claims, tokens->count));
	GEMP_TRY(GEMP_NEW(*owner, tokens->count));
	GEMP_TRY(GEMP_NEW(c->match, tokens->count));
	GEMP_TRY(GEMP_NEW(c->home.size, ranks));
	GEMP_TRY(GEMP_NEW(c->away.size, ranks));
	for (size_t i = 0; i < tokens->count; i++) {
		const gemp_token *t = &tokens->tokens[i];
		if (c->choice[t->match] != GEMP_UNDECIDED)
			continue;
		(*owner)[at] = owner_of(c->comm, t);
		c->home.size[(*owner)[at]]++;
		(*claims)[at++] = (claim){ t->element, t->aspect, t->touch, c->rivals[t->match] };
	}
	c->asked = at;
	for (size_t r = 0; r < ranks; r++)
		next[r + 1] = next[r] + c->home.size[r];
	for (size_t i = 0, k = 0; i < tokens->count; i++)
		if (c->choice[tokens->tokens[i].match] == GEMP_UNDECIDED)
			c->match[next[(*owner)[k++]]++] = tokens->tokens[i].match;
	code = GEMP_NEW(c->home.bytes, c->asked);
done:
	gemp_free(next);
	return code;
}

static int compare_claims(const void *a, const void *b)
{
	const claim *x = *(claim *const *)a, *y = *(claim *const *)b;
	if (x->element != y->element)
		return x->element < y->element ? -1 : 1;
	return (x->aspect > y->aspect) - (x->aspect < y->aspect);
}

static gemp_code seat_claims(choosing *c, const size_t *from)
{
	gemp_code code = GEMP_OK;
	claim **sorted = NULL;
	c->held = from[c->comm->size];
	GEMP_TRY(GEMP_NEW(sorted, c->held));
	GEMP_TRY(GEMP_NEW(c->seat_of, c->held));
	GEMP_TRY(GEMP_NEW(c->live, c->held));
	GEMP_TRY(GEMP_NEW(c->away.bytes, c->held));
	for (size_t i = 0; i < c->held; i++) {
		sorted[i] = &c->claims[i];
		c->live[i] = i;
	}
	for (int r = 0; r < c->comm->size; r++)
		c->away.size[r] = from[r + 1] - from[r];
	qsort(sorted, c->held, sizeof *sorted, compare_claims);
	for (size_t i = 0; i < c->held; i++) {
		c->seat_count += i == 0 || compare_claims(&sorted[i - 1], &sorted[i]) != 0;
		c->seat_of[sorted[i] - c->claims] = c->seat_count - 1;
	}
	code = GEMP_NEW(c->seats, c->seat_count);
done:
	gemp_free(sorted);
	return code;
}

/* Collective. */
static gemp_code send_claims(choosing *c, const gemp_tokens *tokens)
{
	gemp_code code = GEMP_OK;
	claim *claims = NULL;
	int *owner = NULL;
	void *received = NULL;
	size_t *from = NULL;
	GEMP_TRY(gemp_comm_agree(c->comm, make_claims(c, tokens, &claims, &owner)));
	GEMP_TRY(gemp_exchange_records(c->comm, claims, c->asked, sizeof *claims, owner, &received, &from, NULL));
	c->claims = received;
	code = gemp_comm_agree(c->comm, seat_claims(c, from));
done:
	gemp_free(claims);
	gemp_free(owner);
	gemp_free(from);
	return code;
}

/* ROUNDS */

static void take_states(choosing *c, const uint8_t *states)
{
	for (size_t i = 0; i < c->held; i++) {
		seat *s = &c->seats[c->seat_of[c->live[i]]];
		for (int t = 0; t < GEMP_TOUCHES; t++)
			s->undecided[t] = false;
	}
	for (size_t i = 0; i < c->held; i++) {
		const claim *k = &c->claims[c->live[i]];
		seat *s = &c->seats[c->seat_of[c->live[i]]];
		s->chosen[k->touch] |= states[i] == GEMP_CHOSEN;
		if (states[i] != GEMP_UNDECIDED || (s->undecided[k->touch] && !before(&k->rival, &s->first[k->touch])))
			continue;
		s->undecided[k->touch] = true;
		s->first[k->touch] = k->rival;
	}
}

static verdict judge(const seat *s, const claim *k)
{
	verdict v = FREE;
	for (uint32_t t = 0; t < GEMP_TOUCHES; t++) {
		if (!conflict(k->touch, t))
			continue;
		if (s->chosen[t])
			return BEATEN;
		if (s->undecided[t] && before(&s->first[t], &k->rival))
			v = WAITS;
	}
	return v;
}

static void forget_held(choosing *c, const uint8_t *states)
{
	size_t kept = 0, i = 0;
	for (int r = 0; r < c->comm->size; r++) {
		size_t end = i + c->away.size[r], begin = kept;
		for (; i < end; i++)
			if (states[i] == GEMP_UNDECIDED)
				c->live[kept++] = c->live[i];
		c->away.size[r] = kept - begin;
	}
	c->held = kept;
}

static void take_verdicts(choosing *c, const uint8_t *verdicts, size_t count)
{
	for (size_t i = 0; i < c->asked; i++)
		if (c->choice[c->match[i]] == GEMP_UNDECIDED)
			c->choice[c->match[i]] = GEMP_CHOSEN;
	for (size_t i = 0; i < count; i++) {
		uint8_t *choice = &c->choice[c->match[i]];
		if (c->home.bytes[i] != GEMP_UNDECIDED || *choice == GEMP_LEFT_OUT)
			continue;
		if (verdicts[i] == BEATEN)
			*choice = GEMP_LEFT_OUT;
		else if (verdicts[i] == WAITS)
			*choice = GEMP_UNDECIDED;
	}
}

static void forget_asked(choosing *c)
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
static gemp_code play_round(choosing *c)
{
	gemp_code code = GEMP_OK;
	size_t *sizes = NULL;
	GEMP_TRY(gemp_comm_agree(c->comm, GEMP_NEW(sizes, (size_t)c->comm->size)));
	for (size_t i = 0; i < c->asked; i++)
		c->home.bytes[i] = c->choice[c->match[i]];
	GEMP_TRY(gemp_exchange(c->comm, c->home.bytes, c->home.size, &c->away.received, &c->away.capacity, sizes, NULL));
	const uint8_t *states = c->away.received;
	take_states(c, states);
	for (size_t i = 0; i < c->held; i++)
		c->away.bytes[i] = (uint8_t)judge(&c->seats[c->seat_of[c->live[i]]], &c->claims[c->live[i]]);
	GEMP_TRY(gemp_exchange(c->comm, c->away.bytes, c->away.size, &c->home.received, &c->home.capacity, sizes, NULL));
	forget_held(c, states);
	take_verdicts(c, c->home.received, c->asked);
	forget_asked(c);
done:
	gemp_free(sizes);
	return code;
}

static void free_choosing(choosing *c)
{
	gemp_free(c->match);
	gemp_free(c->claims);
	gemp_free(c->seat_of);
	gemp_free(c->live);
	gemp_free(c->seats);
	for (int s = 0; s < 2; s++) {
		side *which = s ? &c->home : &c->away;
		gemp_free(which->size);
		gemp_free(which->bytes);
		gemp_free(which->received);
	}
}

/* What touches nothing conflicts with nothing. */
static gemp_code choose_untouching(choosing *c, size_t count, const gemp_tokens *tokens)
{
	gemp_code code = GEMP_OK;
	bool *touches = NULL;
	GEMP_TRY(GEMP_NEW(touches, count));
	for (size_t i = 0; i < tokens->count; i++)
		touches[tokens->tokens[i].match] = true;
	for (size_t i = 0; i < count; i++)
		if (c->choice[i] == GEMP_UNDECIDED && !touches[i])
			c->choice[i] = GEMP_CHOSEN;
done:
	gemp_free(touches);
	return code;
}

/* Collective. */
static uint64_t undecided(const choosing *c, size_t count)
{
	uint64_t left = 0;
	for (size_t i = 0; i < count; i++)
		left += c->choice[i] == GEMP_UNDECIDED;
	return gemp_comm_sum1(c->comm, left);
}

gemp_code gemp_choose_all(const gemp_comm *comm, const gemp_rival *rivals, size_t count, const gemp_tokens *tokens,
                          uint8_t *choice, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	choosing c = { .comm = comm, .rivals = rivals, .choice = choice };
	GEMP_TRY(gemp_comm_agree(comm, choose_untouching(&c, count, tokens)));
	GEMP_TRY(send_claims(&c, tokens));
	for (uint64_t round = 0; undecided(&c, count); round++) {
		GEMP_TRY(play_round(&c));
		if (rounds)
			*rounds = round + 1;
	}
done:
	free_choosing(&c);
	return code;
}

gemp_code gemp_choose_one(const gemp_comm *comm, const gemp_rival *rivals, size_t count, uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	gemp_rival best = { UINT64_MAX, UINT64_MAX };
	void *all = NULL;
	size_t *begin = NULL;
	for (size_t i = 0; i < count; i++)
		if (choice[i] == GEMP_UNDECIDED && before(&rivals[i], &best))
			best = rivals[i];
	GEMP_TRY(gemp_comm_gather_all(comm, &best, sizeof best, &all, &begin));
	for (int r = 0; r < comm->size; r++)
		if (before((const gemp_rival *)all + r, &best))
			best = ((const gemp_rival *)all)[r];
	for (size_t i = 0; i < count; i++)
		if (choice[i] == GEMP_UNDECIDED)
			choice[i] = rivals[i].place == best.place ? GEMP_CHOSEN : GEMP_LEFT_OUT;
done:
	gemp_free(all);
	gemp_free(begin);
	return code;
}
