/* Orders and choices of random matches that ranks hold in random shares: as one host does it, one match after another. */
#include "harness/collective.h"

#include "core/memory.h"
#include "core/random.h"
#include "transform/choose.h"
#include "transform/order.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 120, MOST_TOKENS = 4, WIDTH = 3, CASES = 24 };

typedef struct world {
	size_t count;
	int rank[MOST];
	uint64_t tuple[MOST][WIDTH];
	gemp_rival rival[MOST];
	size_t token_count[MOST];
	gemp_token token[MOST][MOST_TOKENS];
	uint8_t choice[MOST]; /* before, and what is expected */
} world;

static int compare_tuples(const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < WIDTH; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void make(world *w, uint64_t seed)
{
	memset(w, 0, sizeof *w);
	w->count = gemp_random_below(&seed, MOST + 1);
	uint64_t elements = 1 + gemp_random_below(&seed, 80), writes = 1 + gemp_random_below(&seed, 6);
	uint64_t priorities = 1 + gemp_random_below(&seed, 2) * 1000;
	for (size_t i = 0; i < w->count; i++) {
		w->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		w->tuple[i][0] = gemp_random_below(&seed, 12);
		w->tuple[i][1] = gemp_random_below(&seed, 2) ? UINT64_MAX : 5;
		w->tuple[i][2] = i;
		w->rival[i].priority = gemp_random_below(&seed, priorities);
		w->token_count[i] = gemp_random_below(&seed, MOST_TOKENS + 1);
		w->choice[i] = gemp_random_below(&seed, 10) ? GEMP_UNDECIDED : GEMP_LEFT_OUT;
		for (size_t t = 0; t < w->token_count[i]; t++)
			w->token[i][t] = (gemp_token){ gemp_random_below(&seed, elements), (uint32_t)gemp_random_below(&seed, 2),
				(uint32_t)(gemp_random_below(&seed, writes) ? gemp_random_below(&seed, 2) : GEMP_WRITES), 0 };
	}
	for (size_t i = 0; i < w->count; i++)
		for (size_t k = 0; k < w->count; k++)
			w->rival[i].place += compare_tuples(w->tuple[k], w->tuple[i]) < 0;
}

/* REFERENCE */

static bool conflict(const world *w, size_t a, size_t b)
{
	for (size_t s = 0; s < w->token_count[a]; s++)
		for (size_t t = 0; t < w->token_count[b]; t++) {
			const gemp_token *x = &w->token[a][s], *y = &w->token[b][t];
			bool same = x->element == y->element && x->aspect == y->aspect;
			bool well = (x->touch == GEMP_READS && y->touch == GEMP_READS) || (x->touch == GEMP_ADDS && y->touch == GEMP_ADDS);
			if (same && !well)
				return true;
		}
	return false;
}

static bool before(const gemp_rival *a, const gemp_rival *b)
{
	return a->priority < b->priority || (a->priority == b->priority && a->place < b->place);
}

static void choose_one_by_one(world *w)
{
	size_t best;
	do {
		best = w->count;
		for (size_t i = 0; i < w->count; i++)
			if (w->choice[i] == GEMP_UNDECIDED && (best == w->count || before(&w->rival[i], &w->rival[best])))
				best = i;
		if (best == w->count)
			break;
		w->choice[best] = GEMP_CHOSEN;
		for (size_t i = 0; i < w->count; i++)
			if (w->choice[i] == GEMP_UNDECIDED && conflict(w, i, best))
				w->choice[i] = GEMP_LEFT_OUT;
	} while (best < w->count);
}

/* THIS RANK'S SHARE */

typedef struct share {
	size_t count, of[MOST]; /* matches of the world */
	uint64_t tuples[MOST][WIDTH], places[MOST], numbers[MOST];
	gemp_rival rivals[MOST];
	uint8_t choice[MOST];
	gemp_tokens tokens;
	gemp_token token[MOST * MOST_TOKENS];
} share;

static void take(share *s, const world *w)
{
	memset(s, 0, sizeof *s);
	s->tokens.tokens = s->token;
	for (size_t i = 0; i < w->count; i++) {
		if (w->rank[i] != test_comm.rank)
			continue;
		memcpy(s->tuples[s->count], w->tuple[i], sizeof w->tuple[i]);
		s->rivals[s->count] = w->rival[i];
		s->choice[s->count] = w->choice[i];
		for (size_t t = 0; t < w->token_count[i] && w->choice[i] == GEMP_UNDECIDED; t++) {
			s->token[s->tokens.count] = w->token[i][t];
			s->token[s->tokens.count++].match = s->count;
		}
		s->of[s->count++] = i;
	}
}

static world w;
static share s;

static void test_choices_are_those_of_one_host(void **state)
{
	uint64_t seed = test_seed_all(), rounds = 0;
	(void)state;
	for (int i = 0; i < CASES; i++) {
		bool right = true;
		make(&w, gemp_random(&seed));
		take(&s, &w);
		choose_one_by_one(&w);
		assert_all_ok(gemp_choose_all(&test_comm, s.rivals, s.count, &s.tokens, s.choice, &rounds));
		for (size_t k = 0; k < s.count; k++)
			right &= s.choice[k] == w.choice[s.of[k]];
		assert_all(right);
	}
}

static void test_one_is_the_first(void **state)
{
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		make(&w, gemp_random(&seed));
		take(&s, &w);
		assert_all_ok(gemp_choose_one(&test_comm, s.rivals, s.count, s.choice));
		bool right = true;
		for (size_t k = 0; k < s.count; k++) {
			bool first = w.choice[s.of[k]] == GEMP_UNDECIDED;
			for (size_t o = 0; o < w.count; o++)
				first &= w.choice[o] != GEMP_UNDECIDED || !before(&w.rival[o], &s.rivals[k]);
			right &= (s.choice[k] == GEMP_CHOSEN) == first;
		}
		assert_all(right);
	}
}

static void test_order_is_that_of_tuples(void **state)
{
	uint64_t seed = test_seed_all(), total;
	(void)state;
	for (int i = 0; i < CASES / 2; i++) {
		make(&w, gemp_random(&seed));
		take(&s, &w);
		assert_all_ok(gemp_order_find(&test_comm, &s.tuples[0][0], s.count, WIDTH, 1 + gemp_random_below(&seed, 14), s.places,
		                              &total));
		bool right = total == w.count;
		for (size_t k = 0; k < s.count; k++)
			right &= s.places[k] == s.rivals[k].place;
		assert_all(right);
		assert_all_ok(gemp_order_number(&test_comm, s.places, s.choice, s.count, s.numbers, &total));
		for (size_t k = 0; k < s.count; k++) {
			uint64_t wanted = 0;
			for (size_t o = 0; o < w.count; o++)
				wanted += w.choice[o] && w.rival[o].place < s.places[k];
			right &= !s.choice[k] || s.numbers[k] == wanted;
		}
		assert_all(right);
	}
}

static gemp_code choose_again(void *argument)
{
	(void)argument;
	take(&s, &w);
	gemp_code code = gemp_order_find(&test_comm, &s.tuples[0][0], s.count, WIDTH, 12, s.places, NULL);
	return code == GEMP_OK ? gemp_choose_all(&test_comm, s.rivals, s.count, &s.tokens, s.choice, NULL) : code;
}

static void test_choice_without_memory(void **state)
{
	(void)state;
	make(&w, 5);
	assert_all_survive_no_memory(choose_again, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices_are_those_of_one_host),
		cmocka_unit_test(test_one_is_the_first),
		cmocka_unit_test(test_order_is_that_of_tuples),
		cmocka_unit_test(test_choice_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
