#include "choice/game.h"

#include "choice/seat.h"
#include "core/memory.h"
#include "core/ranges.h"

#include <string.h>

/* THE GAME */

typedef struct setting {
	gemp_game *game;
	const gemp_tokens *tokens;
	const uint64_t *priority;
	gemp_slots slots;
} setting;

static void set_range(void *self, size_t range, size_t begin, size_t end)
{
	setting *s = self;
	gemp_game *g = s->game;
	(void)range;
	for (size_t m = begin; m < end; m++) {
		const uint64_t *from = s->tokens->tokens + s->tokens->begin[g->rows[m]];
		g->priority[m] = s->priority[g->rows[m]];
		for (uint64_t t = g->begin[m]; t < g->begin[m + 1]; t++, from++)
			g->tokens[t] = gemp_token(gemp_slot(&s->slots, gemp_token_seat(*from)), gemp_token_touch(*from));
	}
}

gemp_code gemp_game_new(gemp_game *out, const gemp_tokens *tokens, const uint64_t *priority, const uint8_t *choice)
{
	gemp_code code = GEMP_OK;
	setting s = { .game = out, .tokens = tokens, .priority = priority };
	size_t count = 0;
	*out = (gemp_game){ 0 };
	for (size_t row = 0; row < tokens->matches; row++)
		count += choice[row] == GEMP_UNDECIDED;
	GEMP_TRY(GEMP_NEW(out->rows, count));
	GEMP_TRY(GEMP_NEW(out->begin, count + 1));
	GEMP_TRY(GEMP_NEW(out->priority, count));
	GEMP_TRY(GEMP_NEW(out->choice, count));
	for (size_t row = 0; row < tokens->matches; row++) {
		if (choice[row] != GEMP_UNDECIDED)
			continue;
		size_t m = out->matches++;
		out->rows[m] = row;
		out->begin[m + 1] = out->begin[m] + tokens->begin[row + 1] - tokens->begin[row];
	}
	GEMP_TRY(GEMP_NEW(out->tokens, out->begin[count]));
	GEMP_TRY(gemp_slots_new(&s.slots, tokens->seats, out->begin[count], (GEMP_TOUCHES + 1) * sizeof(uint64_t)));
	out->slots = s.slots.count;
	gemp_for_ranges(count, set_range, &s);
done:
	gemp_slots_free(&s.slots);
	if (code != GEMP_OK)
		gemp_game_free(out);
	return code;
}

void gemp_game_free(gemp_game *game)
{
	gemp_free(game->rows);
	gemp_free(game->begin);
	gemp_free(game->tokens);
	gemp_free(game->priority);
	gemp_free(game->choice);
	*game = (gemp_game){ 0 };
}

/* ROUNDS */

typedef struct playing {
	gemp_game *game;
	gemp_seat *seats; /* [slots] */
	size_t *live;     /* [count] undecided matches */
	size_t count;
	size_t kept[GEMP_MOST_RANGES], begin[GEMP_MOST_RANGES];
} playing;

static void clear_seats(void *self, size_t range, size_t begin, size_t end)
{
	playing *p = self;
	(void)range;
	memset(p->seats + begin, 0xFF, (end - begin) * sizeof *p->seats);
	for (size_t i = begin; i < end; i++)
		p->seats[i].chosen = 0;
}

static void enter_range(void *self, size_t range, size_t begin, size_t end)
{
	playing *p = self;
	const gemp_game *g = p->game;
	(void)range;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->live[i];
		for (uint64_t t = g->begin[m]; t < g->begin[m + 1]; t++)
			gemp_seat_enter(&p->seats[gemp_token_seat(g->tokens[t])], gemp_token_touch(g->tokens[t]), g->priority[m]);
	}
}

static gemp_choice judge(const playing *p, size_t m)
{
	const gemp_game *g = p->game;
	gemp_choice choice = GEMP_CHOSEN;
	for (uint64_t t = g->begin[m]; t < g->begin[m + 1] && choice != GEMP_LEFT_OUT; t++) {
		const gemp_seat *seat = &p->seats[gemp_token_seat(g->tokens[t])];
		gemp_choice here = gemp_seat_judge(seat, gemp_token_touch(g->tokens[t]), g->priority[m]);
		choice = here == GEMP_CHOSEN ? choice : here;
	}
	return choice;
}

static void judge_range(void *self, size_t range, size_t begin, size_t end)
{
	playing *p = self;
	(void)range;
	for (size_t i = begin; i < end; i++)
		p->game->choice[p->live[i]] = (uint8_t)judge(p, p->live[i]);
}

/* Chosen ones are seen from the next round on. Those that stay leave room at the end of their range. */
static void leave_range(void *self, size_t range, size_t begin, size_t end)
{
	playing *p = self;
	const gemp_game *g = p->game;
	size_t kept = begin;
	for (size_t i = begin; i < end; i++) {
		size_t m = p->live[i];
		for (uint64_t t = g->begin[m]; t < g->begin[m + 1] && g->choice[m] != GEMP_LEFT_OUT; t++) {
			gemp_seat *seat = &p->seats[gemp_token_seat(g->tokens[t])];
			if (g->choice[m] == GEMP_CHOSEN)
				gemp_seat_choose(seat, gemp_token_touch(g->tokens[t]));
			else
				gemp_seat_clear(seat);
		}
		if (g->choice[m] == GEMP_UNDECIDED)
			p->live[kept++] = m;
	}
	p->begin[range] = begin;
	p->kept[range] = kept - begin;
}

static void play_round(playing *p)
{
	size_t ranges = gemp_ranges(p->count), count = 0;
	gemp_for_ranges(p->count, enter_range, p);
	gemp_for_ranges(p->count, judge_range, p);
	gemp_for_ranges(p->count, leave_range, p);
	for (size_t r = 0; r < ranges; r++) {
		memmove(p->live + count, p->live + p->begin[r], p->kept[r] * sizeof *p->live);
		count += p->kept[r];
	}
	p->count = count;
}

gemp_code gemp_game_play(gemp_game *game, uint64_t *rounds)
{
	gemp_code code = GEMP_OK;
	playing p = { .game = game, .count = game->matches };
	GEMP_TRY(GEMP_NEW(p.seats, game->slots));
	GEMP_TRY(GEMP_NEW(p.live, game->matches));
	gemp_for_ranges(game->slots, clear_seats, &p);
	for (size_t m = 0; m < game->matches; m++)
		p.live[m] = m;
	for (*rounds = 0; p.count; ++*rounds)
		play_round(&p);
done:
	gemp_free(p.seats);
	gemp_free(p.live);
	return code;
}
