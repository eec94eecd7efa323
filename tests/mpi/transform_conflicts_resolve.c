/* Tests the order and the selection of random matches on random ranks. The reference decides one match after the
 * other. */
#include "harness/collective.h"

#include "comm/comm.h"
#include "core/random.h"
#include "core/status.h"
#include "transform/conflicts/conflict_keys.h"
#include "transform/conflicts/match_order.h"
#include "transform/conflicts/resolve.h"

#include <string.h>

enum { MAX_MATCHES = 160, MAX_KEYS = 4, WIDTH = 3, CASES = 60 };
static const uint64_t FAR = (uint64_t)1 << 50; /* slots are spread over this range, or adjacent */

/* Random matches with their tuples, priorities, conflict keys and decisions, the same on all ranks. */
typedef struct world {
	size_t count;
	int rank[MAX_MATCHES];
	uint64_t tuple[MAX_MATCHES][WIDTH], slots;
	uint64_t priority[MAX_MATCHES];
	size_t key_count[MAX_MATCHES];
	uint64_t key[MAX_MATCHES][MAX_KEYS];
	uint8_t decision[MAX_MATCHES]; /* the decision before the call, then the expected decision */
} world;

static void add(world *w, size_t match, uint64_t slot, gemp_access access)
{
	w->key[match][w->key_count[match]++] = gemp_conflict_key(slot, access);
}

/* Adds random keys with many or few slots, and with many or few writes. */
static void add_random_keys(world *w, uint64_t *seed)
{
	uint64_t elements = 1 + gemp_random_below(seed, 120), writes = 1 + gemp_random_below(seed, 6);
	uint64_t step = gemp_random_below(seed, 2) ? 1 : FAR / 120;
	w->slots = elements * step + 1;
	for (size_t i = 0; i < w->count; i++)
		for (uint64_t t = gemp_random_below(seed, MAX_KEYS + 1); t > 0; t--)
			add(w, i, gemp_random_below(seed, elements) * step,
			    gemp_random_below(seed, writes) ? (gemp_access)gemp_random_below(seed, 2) : GEMP_WRITES);
}

/* Each match conflicts with the match before it and the match after it. With ascending priorities the selection takes
 * many rounds. */
static void add_chain(world *w, uint64_t *seed)
{
	bool ascending = gemp_random_below(seed, 2);
	w->slots = MAX_MATCHES + 1;
	for (size_t i = 0; i < w->count; i++) {
		add(w, i, i, GEMP_WRITES);
		add(w, i, i + 1, GEMP_WRITES);
		if (ascending)
			w->priority[i] = i;
	}
}

/* All matches access one slot, some of them in a way that conflicts with all others. Each match also has a slot of its
 * own. */
static void add_hub(world *w, uint64_t *seed)
{
	gemp_access most = (gemp_access)gemp_random_below(seed, GEMP_ACCESSES);
	w->slots = FAR;
	for (size_t i = 0; i < w->count; i++) {
		add(w, i, FAR - 1, gemp_random_below(seed, 20) ? most : (gemp_access)gemp_random_below(seed, GEMP_ACCESSES));
		add(w, i, i, GEMP_WRITES);
	}
}

static void draw_world(world *w, uint64_t seed)
{
	static void (*const kinds[])(world *, uint64_t *) = { add_random_keys, add_random_keys, add_chain, add_hub };
	memset(w, 0, sizeof *w);
	w->count = gemp_random_below(&seed, MAX_MATCHES + 1);
	for (size_t i = 0; i < w->count; i++) {
		w->rank[i] = (int)gemp_random_below(&seed, (uint64_t)test_comm.size);
		w->tuple[i][0] = gemp_random_below(&seed, 12);
		w->tuple[i][1] = gemp_random_below(&seed, 2) ? UINT64_MAX : 5;
		w->tuple[i][2] = i;
		w->priority[i] = gemp_random(&seed);
		w->decision[i] = gemp_random_below(&seed, 10) ? GEMP_UNDECIDED : GEMP_REJECTED;
	}
	kinds[gemp_random_below(&seed, sizeof kinds / sizeof *kinds)](w, &seed);
}

/* REFERENCE */

static bool matches_conflict(const world *w, size_t a, size_t b)
{
	for (size_t s = 0; s < w->key_count[a]; s++)
		for (size_t t = 0; t < w->key_count[b]; t++) {
			uint64_t x = w->key[a][s], y = w->key[b][t];
			bool both_read = gemp_conflict_key_access(x) == GEMP_READS && gemp_conflict_key_access(y) == GEMP_READS;
			bool both_add = gemp_conflict_key_access(x) == GEMP_ADDS && gemp_conflict_key_access(y) == GEMP_ADDS;
			if (gemp_conflict_key_slot(x) == gemp_conflict_key_slot(y) && !both_read && !both_add)
				return true;
		}
	return false;
}

static void decide_one_by_one(world *w)
{
	size_t best;
	do {
		best = w->count;
		for (size_t i = 0; i < w->count; i++)
			if (w->decision[i] == GEMP_UNDECIDED && (best == w->count || w->priority[i] < w->priority[best]))
				best = i;
		if (best == w->count)
			break;
		w->decision[best] = GEMP_SELECTED;
		for (size_t i = 0; i < w->count; i++)
			if (w->decision[i] == GEMP_UNDECIDED && matches_conflict(w, i, best))
				w->decision[i] = GEMP_REJECTED;
	} while (best < w->count);
}

static int compare_tuples(const uint64_t *a, const uint64_t *b)
{
	for (size_t i = 0; i < WIDTH; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* THE MATCHES OF THIS RANK */

typedef struct own_matches {
	size_t count, of[MAX_MATCHES]; /* of[k]: number of match k in the world */
	uint64_t tuples[MAX_MATCHES][WIDTH], priority[MAX_MATCHES], numbers[MAX_MATCHES];
	uint8_t decision[MAX_MATCHES];
	gemp_conflict_keys keys;
	uint64_t begin[MAX_MATCHES + 1], key[MAX_MATCHES * MAX_KEYS];
	gemp_match_keys ordered;
} own_matches;

static void take_own(own_matches *s, const world *w)
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < w->count; i++) {
		if (w->rank[i] != test_comm.rank)
			continue;
		memcpy(s->tuples[s->count], w->tuple[i], sizeof w->tuple[i]);
		s->priority[s->count] = w->priority[i];
		s->decision[s->count] = w->decision[i];
		s->of[s->count++] = i;
		s->begin[s->count] = s->begin[s->count - 1];
		for (size_t t = 0; t < w->key_count[i] && w->decision[i] == GEMP_UNDECIDED; t++)
			s->key[s->begin[s->count]++] = w->key[i][t];
	}
	s->keys = (gemp_conflict_keys){ s->count, s->begin, s->key, w->slots };
	s->ordered = (gemp_match_keys){ s->count, WIDTH, &s->tuples[0][0], 14 };
}

static world w, before;
static own_matches s;

static bool as_expected(void)
{
	bool right = true;
	for (size_t k = 0; k < s.count; k++)
		right &= s.decision[k] == w.decision[s.of[k]];
	return right;
}

static void test_selection_equals_reference(void **state)
{
	gemp_resolver by_host = { .comm = &test_comm };
	uint64_t seed = test_seed_all(), rounds = 0, left;
	(void)state;
	for (int i = 0; i < CASES; i++) {
		draw_world(&w, gemp_random(&seed));
		take_own(&s, &w);
		if (i % 2)
			assert_all_ok(gemp_resolve_uncontended(&by_host, &s.keys, s.decision, &left));
		assert_all_ok(gemp_resolve_all(&by_host, &s.keys, s.priority, s.decision, &rounds));
		decide_one_by_one(&w);
		assert_all(as_expected());
	}
}

/* A match without keys is selected. A match with a conflict stays undecided. A match with keys but without a conflict
 * is selected or stays undecided. */
static void test_uncontended_matches_are_selected(void **state)
{
	gemp_resolver by_host = { .comm = &test_comm };
	uint64_t seed = test_seed_all(), left, undecided;
	(void)state;
	for (int i = 0; i < CASES; i++) {
		bool right = true;
		draw_world(&w, gemp_random(&seed));
		take_own(&s, &w);
		assert_all_ok(gemp_resolve_uncontended(&by_host, &s.keys, s.decision, &left));
		undecided = 0;
		for (size_t k = 0; k < s.count; k++) {
			bool rival = false, keys = w.key_count[s.of[k]] > 0;
			for (size_t o = 0; o < w.count; o++)
				rival |= o != s.of[k] && w.decision[o] == GEMP_UNDECIDED && matches_conflict(&w, s.of[k], o);
			if (w.decision[s.of[k]] != GEMP_UNDECIDED)
				right &= s.decision[k] == w.decision[s.of[k]];
			else
				right &= rival ? s.decision[k] == GEMP_UNDECIDED : keys || s.decision[k] == GEMP_SELECTED;
			undecided += s.decision[k] == GEMP_UNDECIDED;
		}
		assert_all(right && gemp_comm_sum1(&test_comm, undecided) == left);
	}
}

static void test_one_match_is_selected(void **state)
{
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		draw_world(&w, gemp_random(&seed));
		for (size_t k = 0; k < w.count && i % 2; k++)
			w.priority[k] %= 3;
		take_own(&s, &w);
		assert_all_ok(gemp_resolve_one(&test_comm, &s.ordered, s.priority, s.decision));
		size_t best = MAX_MATCHES;
		for (size_t o = 0; o < w.count; o++) {
			bool less = best == MAX_MATCHES || w.priority[o] < w.priority[best] ||
			            (w.priority[o] == w.priority[best] && compare_tuples(w.tuple[o], w.tuple[best]) < 0);
			best = w.decision[o] == GEMP_UNDECIDED && less ? o : best;
		}
		for (size_t o = 0; o < w.count; o++)
			w.decision[o] = o == best ? GEMP_SELECTED : GEMP_REJECTED;
		assert_all(as_expected());
	}
}

static void test_order_is_that_of_tuples(void **state)
{
	uint64_t seed = test_seed_all(), total, marked;
	(void)state;
	for (int i = 0; i < CASES / 2; i++) {
		draw_world(&w, gemp_random(&seed));
		take_own(&s, &w);
		s.ordered.bound = 1 + gemp_random_below(&seed, 14);
		marked = 0;
		for (size_t o = 0; o < w.count; o++)
			marked += w.decision[o] != 0;
		assert_all_ok(gemp_match_order_number(&test_comm, &s.ordered, s.decision, s.numbers, &total));
		bool right = total == marked;
		for (size_t k = 0; k < s.count; k++) {
			uint64_t wanted = 0;
			for (size_t o = 0; o < w.count; o++)
				wanted += w.decision[o] && compare_tuples(w.tuple[o], w.tuple[s.of[k]]) < 0;
			right &= !s.decision[k] || s.numbers[k] == wanted;
		}
		assert_all(right);
	}
}

/* Collective. Returns the priorities of all matches, indexed by their number in the world. */
static void gather(uint64_t all[MAX_MATCHES])
{
	memset(all, 0, MAX_MATCHES * sizeof *all);
	for (size_t k = 0; k < s.count; k++)
		all[s.of[k]] = s.priority[k];
	gemp_comm_sum(&test_comm, all, MAX_MATCHES);
}

static void test_priorities_become_distinct(void **state)
{
	static uint64_t all[MAX_MATCHES];
	uint64_t seed = test_seed_all();
	(void)state;
	for (int i = 0; i < CASES / 4; i++) {
		draw_world(&w, gemp_random(&seed));
		uint64_t kinds = 1 + gemp_random_below(&seed, MAX_MATCHES), first_kind = gemp_random(&seed);
		for (size_t k = 0; k < w.count; k++) {
			w.priority[k] = gemp_mix(first_kind + w.priority[k] % kinds);
			w.decision[k] = 1;
		}
		before = w;
		take_own(&s, &w);
		assert_all_ok(gemp_match_order_distinct(&test_comm, &s.ordered, s.decision, s.priority));
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

static gemp_code resolve_again(void *argument)
{
	gemp_resolver by_host = { .comm = &test_comm };
	gemp_code code = GEMP_OK;
	uint64_t left, rounds;
	(void)argument;
	take_own(&s, &w);
	GEMP_TRY_DONE(gemp_resolve_uncontended(&by_host, &s.keys, s.decision, &left));
	memset(s.decision, 0, sizeof s.decision);
	GEMP_TRY_DONE(gemp_match_order_distinct(&test_comm, &s.ordered, s.decision, s.priority));
	GEMP_TRY_DONE(gemp_resolve_all(&by_host, &s.keys, s.priority, s.decision, &rounds));
	code = gemp_match_order_number(&test_comm, &s.ordered, s.decision, s.numbers, NULL);
done:
	return code;
}

static void test_memory_may_run_out(void **state)
{
	uint64_t seed = 5;
	(void)state;
	do
		draw_world(&w, gemp_random(&seed));
	while (w.count < MAX_MATCHES / 2);
	assert_all_survive_no_memory(resolve_again, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_selection_equals_reference), cmocka_unit_test(test_uncontended_matches_are_selected),
		cmocka_unit_test(test_one_match_is_selected),      cmocka_unit_test(test_order_is_that_of_tuples),
		cmocka_unit_test(test_priorities_become_distinct), cmocka_unit_test(test_memory_may_run_out),
	};
	return test_main_all(argc, argv, tests);
}
