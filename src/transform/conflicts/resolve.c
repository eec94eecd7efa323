#include "transform/conflicts/resolve.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/threads.h"
#include "transform/conflicts/rounds.h"
#include "transform/conflicts/rounds_ranks.h"

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
static gemp_code gemp_resolve_local(const gemp_resolver *chooser, const gemp_conflict_keys *tokens,
                                    const uint64_t *priority, uint8_t *choice, uint64_t *rounds)
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
	code = GEMP_NEW(l->answers, count);
	GEMP_THEN(GEMP_NEW(owner, count));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_conflict_slot_owner(comm, gemp_conflict_key_slot(l->tokens->keys[i]));
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
	gemp_free(l.seats);
	gemp_free(l.answers);
	return code;
}

/* ALL, ONE */

gemp_code gemp_resolve_all(const gemp_resolver *chooser, const gemp_conflict_keys *tokens, const uint64_t *priority,
                           uint8_t *choice, uint64_t *rounds)
{
	return chooser->comm->size == 1 ? gemp_resolve_local(chooser, tokens, priority, choice, rounds)
	                                : gemp_conflict_rounds_ranks(chooser->comm, tokens, priority, choice, rounds);
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
