/* Orders and choices of random matches that ranks hold in random shares: as one host does it, match after match. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "partition/runtime.h"
#include "transform/conflicts/conflict_keys.h"
#include "transform/conflicts/match_order.h"
#include "transform/conflicts/resolve.h"

#include <string.h>

enum { MOST = 160, MOST_TOKENS = 4, WIDTH = 3, CASES = 60 };
static const uint64_t FAR = (uint64_t)1 << 50; /* seats are as far apart as this, or side by side */

typedef struct world {
	size_t count;
	int rank[MOST];
	uint64_t tuple[MOST][WIDTH], seats;
	uint64_t priority[MOST];
	size_t token_count[MOST];
	uint64_t token[MOST][MOST_TOKENS];
	uint8_t choice[MOST]; /* before, and what is expected */
} world;

static void add(world *w, size_t match, uint64_t seat, gemp_access touch)
{
	w->token[match][w->token_count[match]++] = gemp_conflict_key(seat, touch);
}

/* Any tokens; many or few seats, few or many writes. */
static void scatter(world *w, uint64_t *seed)
{
	uint64_t elements = 1 + gemp_random_below(seed, 120), writes = 1 + gemp_random_below(seed, 6);
	uint64_t step = gemp_random_below(seed, 2) ? 1 : FAR / 120;
	w->seats = elements * step + 1;
	for (size_t i = 0; i < w->count; i++)
		for (uint64_t t = gemp_random_below(seed, MOST_TOKENS + 1); t > 0; t--)
			add(w, i, gemp_random_below(seed, elements) * step,
			    gemp_random_below(seed, writes) ? (gemp_access)gemp_random_below(seed, 2) : GEMP_WRITES);
}

/* Each conflicts with its neighbours in a row: many rounds, if priorities happen to ascend. */
static void chain(world *w, uint64_t *seed)
{
	bool ascending = gemp_random_below(seed, 2);
	w->seats = MOST + 1;
	for (size_t i = 0; i < w->count; i++) {
		add(w, i, i, GEMP_WRITES);
		add(w, i, i + 1, GEMP_WRITES);
		if (ascending)
			w->priority[i] = i;
	}
}

/* All touch one seat, some of them in a way that all others conflict with, and a seat of their own. */
static void hub(world *w, uint64_t *seed)
{
	gemp_access most = (gemp_access)gemp_random_below(seed, GEMP_ACCESSES);
	w->seats = FAR;
	for (size_t i = 0; i < w->count; i++) {
		add(w, i, FAR - 1, gemp_random_below(seed, 20) ? most : (gemp_access)gemp_random_below(seed, GEMP_ACCESSES));
		add(w, i, i, GEMP_WRITES);
	}
}

static void make(world *w, uint64_t seed)
{
	static void (*const kinds[])(world *, uint64_t *) = { scatter, scatter, chain, hub };
	memset(w, 0, sizeof *w);
	w->count = gemp_random_below(&seed, MOST + 1);
	for (size_t i = 0; i < w->count; i++) {
		w->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		w->tuple[i][0] = gemp_random_below(&seed, 12);
		w->tuple[i][1] = gemp_random_below(&seed, 2) ? UINT64_MAX : 5;
		w->tuple[i][2] = i;
		w->priority[i] = gemp_random(&seed);
		w->choice[i] = gemp_random_below(&seed, 10) ? GEMP_UNDECIDED : GEMP_REJECTED;
	}
	kinds[gemp_random_below(&seed, sizeof kinds / sizeof *kinds)](w, &seed);
}

/* REFERENCE */

static bool conflict(const world *w, size_t a, size_t b)
{
	for (size_t s = 0; s < w->token_count[a]; s++)
		for (size_t t = 0; t < w->token_count[b]; t++) {
			uint64_t x = w->token[a][s], y = w->token[b][t];
			bool both_read = gemp_conflict_key_access(x) == GEMP_READS && gemp_conflict_key_access(y) == GEMP_READS;
			bool both_add = gemp_conflict_key_access(x) == GEMP_ADDS && gemp_conflict_key_access(y) == GEMP_ADDS;
			if (gemp_conflict_key_slot(x) == gemp_conflict_key_slot(y) && !both_read && !both_add)
				return true;
		}
	return false;
}

static void choose_one_by_one(world *w)
{
	size_t best;
	do {
		best = w->count;
		for (size_t i = 0; i < w->count; i++)
			if (w->choice[i] == GEMP_UNDECIDED && (best == w->count || w->priority[i] < w->priority[best]))
				best = i;
		if (best == w->count)
			break;
		w->choice[best] = GEMP_SELECTED;
		for (size_t i = 0; i < w->count; i++)
			if (w->choice[i] == GEMP_UNDECIDED && conflict(w, i, best))
				w->choice[i] = GEMP_REJECTED;
	} while (best < w->count);
}

static int compare_tuples(const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < WIDTH; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* THIS RANK'S SHARE */

typedef struct share {
	size_t count, of[MOST]; /* matches of the world */
	uint64_t tuples[MOST][WIDTH], priority[MOST], numbers[MOST];
	uint8_t choice[MOST];
	gemp_conflict_keys tokens;
	uint64_t begin[MOST + 1], token[MOST * MOST_TOKENS];
	gemp_match_keys ordered;
} share;

static void take(share *s, const world *w)
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < w->count; i++) {
		if (w->rank[i] != test_comm.rank)
			continue;
		memcpy(s->tuples[s->count], w->tuple[i], sizeof w->tuple[i]);
		s->priority[s->count] = w->priority[i];
		s->choice[s->count] = w->choice[i];
		s->of[s->count++] = i;
		s->begin[s->count] = s->begin[s->count - 1];
		for (size_t t = 0; t < w->token_count[i] && w->choice[i] == GEMP_UNDECIDED; t++)
			s->token[s->begin[s->count]++] = w->token[i][t];
	}
	s->tokens = (gemp_conflict_keys){ s->count, s->begin, s->token, w->seats };
	s->ordered = (gemp_match_keys){ s->count, WIDTH, &s->tuples[0][0], 14 };
}

static world w, before;
static share s;

static bool as_expected(void)
{
	bool right = true;
	for (size_t k = 0; k < s.count; k++)
		right &= s.choice[k] == w.choice[s.of[k]];
	return right;
}

static void test_choices_are_those_of_one_host(void **state)
{
	const gemp_resolver by_host = { .comm = &test_comm };
	uint64_t seed = test_seed_all(), rounds = 0, left;
	(void)state;
	for (int i = 0; i < CASES; i++) {
		make(&w, gemp_random(&seed));
		take(&s, &w);
		if (i % 2)
			assert_all_ok(gemp_resolve_uncontended(&test_comm, &s.tokens, s.choice, &left));
		assert_all_ok(gemp_resolve_all(&by_host, &s.tokens, s.priority, s.choice, &rounds));
		choose_one_by_one(&w);
		assert_all(as_expected());
	}
}

/* DEVICE */

enum { MANY = 40000 };

/* Many matches of up to three tokens. */
static gemp_code make_many(gemp_conflict_keys *out, uint64_t *priority, uint64_t *seed)
{
	gemp_code code = GEMP_OK;
	uint64_t seats = 1 + gemp_random_below(seed, 3 * MANY), writes = 1 + gemp_random_below(seed, 4);
	*out = (gemp_conflict_keys){ .matches = gemp_random_below(seed, MANY), .slots = seats };
	GEMP_TRY_DONE(GEMP_NEW(out->offsets, MANY + 1));
	GEMP_TRY_DONE(GEMP_NEW(out->keys, 3 * MANY));
	for (size_t m = 0; m < out->matches; m++) {
		uint64_t end = out->offsets[m] + gemp_random_below(seed, 4);
		priority[m] = gemp_random(seed);
		for (uint64_t t = out->offsets[m]; t < end; t++)
			out->keys[t] = gemp_conflict_key(gemp_random_below(seed, seats),
			                                 gemp_random_below(seed, writes) ? (gemp_access)gemp_random_below(seed, 2)
			                                                                 : GEMP_WRITES);
		out->offsets[m + 1] = end;
	}
done:
	return code;
}

static void test_device_chooses_what_the_host_does(void **state)
{
	static uint64_t priority[MANY];
	static uint8_t by_host[MANY], by_device[MANY];
	uint64_t seed = test_seed_all(), rounds, device_rounds;
	gemp_runtime *context = NULL;
	const gemp_budgets no_budgets = { 0 };
	(void)state;
	if (test_comm.size > 1)
		return; /* their hosts choose */
	assert_all_ok(gemp_runtime_new(&context, &test_comm, NULL, &no_budgets));
	const gemp_resolver host = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_HOST };
	const gemp_resolver device = { .comm = &test_comm, .context = context, .on = GEMP_PLACE_DEVICE };
	for (int i = 0; i < CASES / 4; i++) {
		gemp_conflict_keys tokens;
		assert_int_equal(make_many(&tokens, priority, &seed), GEMP_OK);
		for (size_t m = 0; m < tokens.matches; m++)
			by_host[m] = by_device[m] = tokens.offsets[m] == tokens.offsets[m + 1] && m % 7 == 0 ? GEMP_REJECTED
			                                                                                     : GEMP_UNDECIDED;
		assert_all_ok(gemp_resolve_all(&host, &tokens, priority, by_host, &rounds));
		assert_all_ok(gemp_resolve_all(&device, &tokens, priority, by_device, &device_rounds));
		assert_memory_equal(by_host, by_device, tokens.matches);
		assert_int_equal(rounds, device_rounds);
		gemp_conflict_keys_free(&tokens);
	}
	gemp_runtime_free(context);
}

/* Who has no rival is chosen; whoever has one is not decided about, and only few others are not. */
static void test_uncontended_are_chosen_at_once(void **state)
{
	uint64_t seed = test_seed_all(), left, undecided;
	(void)state;
	for (int i = 0; i < CASES; i++) {
		bool right = true;
		make(&w, gemp_random(&seed));
		take(&s, &w);
		assert_all_ok(gemp_resolve_uncontended(&test_comm, &s.tokens, s.choice, &left));
		undecided = 0;
		for (size_t k = 0; k < s.count; k++) {
			bool rival = false, tokens = w.token_count[s.of[k]] > 0;
			for (size_t o = 0; o < w.count; o++)
				rival |= o != s.of[k] && w.choice[o] == GEMP_UNDECIDED && conflict(&w, s.of[k], o);
			if (w.choice[s.of[k]] != GEMP_UNDECIDED)
				right &= s.choice[k] == w.choice[s.of[k]];
			else
				right &= rival ? s.choice[k] == GEMP_UNDECIDED : tokens || s.choice[k] == GEMP_SELECTED;
			undecided += s.choice[k] == GEMP_UNDECIDED;
		}
		assert_all(right && gemp_comm_sum1(&test_comm, undecided) == left);
	}
}

static void test_one_is_the_first(void **state)
{
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		make(&w, gemp_random(&seed));
		for (size_t k = 0; k < w.count && i % 2; k++)
			w.priority[k] %= 3;
		take(&s, &w);
		assert_all_ok(gemp_resolve_one(&test_comm, &s.ordered, s.priority, s.choice));
		size_t best = MOST;
		for (size_t o = 0; o < w.count; o++) {
			bool less = best == MOST || w.priority[o] < w.priority[best] ||
			            (w.priority[o] == w.priority[best] && compare_tuples(w.tuple[o], w.tuple[best]) < 0);
			best = w.choice[o] == GEMP_UNDECIDED && less ? o : best;
		}
		for (size_t o = 0; o < w.count; o++)
			w.choice[o] = o == best ? GEMP_SELECTED : GEMP_REJECTED;
		assert_all(as_expected());
	}
}

static void test_order_is_that_of_tuples(void **state)
{
	uint64_t seed = test_seed_all(), total, marked;
	(void)state;
	for (int i = 0; i < CASES / 2; i++) {
		make(&w, gemp_random(&seed));
		take(&s, &w);
		s.ordered.bound = 1 + gemp_random_below(&seed, 14);
		marked = 0;
		for (size_t o = 0; o < w.count; o++)
			marked += w.choice[o] != 0;
		assert_all_ok(gemp_match_order_number(&test_comm, &s.ordered, s.choice, s.numbers, &total));
		bool right = total == marked;
		for (size_t k = 0; k < s.count; k++) {
			uint64_t wanted = 0;
			for (size_t o = 0; o < w.count; o++)
				wanted += w.choice[o] && compare_tuples(w.tuple[o], w.tuple[s.of[k]]) < 0;
			right &= !s.choice[k] || s.numbers[k] == wanted;
		}
		assert_all(right);
	}
}

/* The priorities of all matches, in the order of the world. */
static void gather(uint64_t all[MOST])
{
	memset(all, 0, MOST * sizeof *all);
	for (size_t k = 0; k < s.count; k++)
		all[s.of[k]] = s.priority[k];
	gemp_comm_sum(&test_comm, all, MOST);
}

static void test_priorities_become_distinct(void **state)
{
	static uint64_t all[MOST];
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		make(&w, gemp_random(&seed));
		uint64_t kinds = 1 + gemp_random_below(&seed, MOST), first_kind = gemp_random(&seed);
		for (size_t k = 0; k < w.count; k++) {
			w.priority[k] = gemp_mix(first_kind + w.priority[k] % kinds);
			w.choice[k] = 1;
		}
		before = w;
		take(&s, &w);
		assert_all_ok(gemp_match_order_distinct(&test_comm, &s.ordered, s.choice, s.priority));
		gather(all);
		bool right = true;
		for (size_t a = 0; a < w.count; a++) {
			bool first = true;
			for (size_t b = 0; b < w.count; b++) {
				right &= a == b || all[a] != all[b];
				first &= before.priority[b] != before.priority[a] || compare_tuples(w.tuple[a], w.tuple[b]) <= 0;
			}
			right &= (all[a] == before.priority[a]) == first;
		}
		assert_all(right);
	}
}

static gemp_code choose_again(void *argument)
{
	gemp_code code = GEMP_OK;
	uint64_t left, rounds;
	(void)argument;
	take(&s, &w);
	GEMP_TRY_DONE(gemp_resolve_uncontended(&test_comm, &s.tokens, s.choice, &left));
	memset(s.choice, 0, sizeof s.choice);
	GEMP_TRY_DONE(gemp_match_order_distinct(&test_comm, &s.ordered, s.choice, s.priority));
	GEMP_TRY_DONE(gemp_resolve_all(&(gemp_resolver){ .comm = &test_comm }, &s.tokens, s.priority, s.choice, &rounds));
	code = gemp_match_order_number(&test_comm, &s.ordered, s.choice, s.numbers, NULL);
done:
	return code;
}

static void test_choice_without_memory(void **state)
{
	uint64_t seed = 5;
	(void)state;
	do
		make(&w, gemp_random(&seed));
	while (w.count < MOST / 2);
	assert_all_survive_no_memory(choose_again, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choices_are_those_of_one_host),  cmocka_unit_test(test_device_chooses_what_the_host_does),
		cmocka_unit_test(test_uncontended_are_chosen_at_once), cmocka_unit_test(test_one_is_the_first),
		cmocka_unit_test(test_order_is_that_of_tuples),        cmocka_unit_test(test_priorities_become_distinct),
		cmocka_unit_test(test_choice_without_memory),
	};
	return test_main_all(argc, argv, tests);
}
