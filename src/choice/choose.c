#include "choice/choose.h"

#include "choice/choose_parts.h"
#include "comm/request.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/ranges.h"

/* UNCONTENDED. A seat has a bit for each way in which it is touched, and one if it is touched twice. */
enum { TOUCHED = (1 << GEMP_TOUCHES) - 1, TWICE = 1 << GEMP_TOUCHES };

typedef struct looking {
	const gemp_tokens *tokens;
	uint8_t *choice;
	gemp_slots slots;
	uint8_t *seats;          /* [slots.count] */
	const uint64_t *touches; /* tokens at this rank, whose seats are divided by `ranks` */
	uint64_t ranks;
	uint64_t *answers;       /* of the tokens; NULL: the seats are here */
	uint64_t left;
} looking;

static uint8_t *seat_of(looking *l, uint64_t token)
{
	return &l->seats[gemp_slot(&l->slots, gemp_token_seat(token) / l->ranks)];
}

static void touch_range(void *self, size_t range, size_t begin, size_t end)
{
	looking *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		uint8_t *seat = seat_of(l, l->touches[i]), bit = (uint8_t)(1 << gemp_token_touch(l->touches[i]));
		uint8_t before = __atomic_fetch_or(seat, bit, __ATOMIC_RELAXED);
		if (before & TOUCHED && !(before & TWICE))
			__atomic_fetch_or(seat, (uint8_t)TWICE, __ATOMIC_RELAXED);
	}
}

static bool contended(looking *l, uint64_t token)
{
	uint8_t seat = *seat_of(l, token), both = 1 << GEMP_READS | 1 << GEMP_ADDS;
	return seat & TWICE && (seat & 1 << GEMP_WRITES || (seat & both) == both);
}

static gemp_code touch_seats(looking *l, const uint64_t *touches, size_t count)
{
	gemp_code code = GEMP_OK;
	l->touches = touches;
	GEMP_TRY(gemp_slots_new(&l->slots, l->tokens->seats / l->ranks + 1, count, sizeof *l->seats));
	GEMP_TRY(GEMP_NEW(l->seats, l->slots.count));
	gemp_for_ranges(count, touch_range, l);
done:
	return code;
}

static void answer_range(void *self, size_t range, size_t begin, size_t end)
{
	looking *l = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		l->answers[i] = contended(l, l->touches[i]);
}

static gemp_code answer_contended(void *self, const void *records, size_t count, uint64_t *answers)
{
	looking here = *(const looking *)self;
	gemp_code code = touch_seats(&here, records, count);
	here.answers = answers;
	if (code == GEMP_OK)
		gemp_for_ranges(count, answer_range, &here);
	gemp_slots_free(&here.slots);
	gemp_free(here.seats);
	return code;
}

/* Collective. */
static gemp_code ask_contended(looking *l, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	size_t count = l->tokens->begin[l->tokens->matches];
	int *owner = NULL;
	code = GEMP_NEW(l->answers, count);
	if (code == GEMP_OK)
		code = GEMP_NEW(owner, count);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t i = 0; i < count; i++)
		owner[i] = gemp_seat_owner(comm, gemp_token_seat(l->tokens->tokens[i]));
	const gemp_request request = { l->tokens->tokens, count, sizeof *l->tokens->tokens, owner, answer_contended, l };
	code = gemp_request_run(comm, &request, l->answers);
done:
	gemp_free(owner);
	return code;
}

static void decide_range(void *self, size_t range, size_t begin, size_t end)
{
	looking *l = self;
	uint64_t left = 0;
	(void)range;
	for (size_t row = begin; row < end; row++) {
		bool waits = false;
		if (l->choice[row] != GEMP_UNDECIDED)
			continue;
		for (uint64_t t = l->tokens->begin[row]; t < l->tokens->begin[row + 1] && !waits; t++)
			waits = l->answers ? l->answers[t] != 0 : contended(l, l->tokens->tokens[t]);
		if (!waits)
			l->choice[row] = GEMP_CHOSEN;
		left += waits;
	}
	__atomic_fetch_add(&l->left, left, __ATOMIC_RELAXED);
}

gemp_code gemp_choose_uncontended(const gemp_comm *comm, const gemp_tokens *tokens, uint8_t *choice, uint64_t *left)
{
	gemp_code code = GEMP_OK;
	looking l = { .tokens = tokens, .choice = choice, .ranks = (uint64_t)comm->size };
	if (comm->size == 1)
		GEMP_TRY(touch_seats(&l, tokens->tokens, tokens->begin[tokens->matches]));
	else
		GEMP_TRY(ask_contended(&l, comm));
	gemp_for_ranges(tokens->matches, decide_range, &l);
	*left = gemp_comm_sum1(comm, l.left);
done:
	gemp_slots_free(&l.slots);
	gemp_free(l.seats);
	gemp_free(l.answers);
	return code;
}

/* ALL, ONE */

gemp_code gemp_choose_all(const gemp_chooser *chooser, const gemp_tokens *tokens, const uint64_t *priority,
                          uint8_t *choice, uint64_t *rounds)
{
	return chooser->comm->size == 1 ? gemp_choose_here(chooser, tokens, priority, choice, rounds)
	                                : gemp_choose_apart(chooser->comm, tokens, priority, choice, rounds);
}

gemp_code gemp_choose_one(const gemp_comm *comm, const gemp_ordered *matches, const uint64_t *priority,
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
	GEMP_TRY(gemp_order_number(comm, matches, choice, number, NULL));
	for (size_t i = 0; i < matches->count; i++)
		choice[i] = choice[i] && number[i] == 0 ? GEMP_CHOSEN : GEMP_LEFT_OUT;
done:
	gemp_free(number);
	return code;
}
