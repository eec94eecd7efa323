/* Tests sets of integers: each number is kept once, and its position can be found. */
#include "harness/harness.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "partition/build/builder_state.h"
#include "partition/build/integer_keys.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return (left > right) - (left < right);
}

static size_t distinct(uint64_t *numbers, size_t count)
{
	size_t kept = 0;
	qsort(numbers, count, sizeof *numbers, compare);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || numbers[i] != numbers[i - 1])
			numbers[kept++] = numbers[i];
	return kept;
}

/* The set contains exactly the numbers that were added, in ascending order. */
static void expect(const gemp_integer_set *set, const uint64_t *numbers, size_t count)
{
	uint64_t *found = calloc(count + 1, sizeof *found);
	size_t got = 0;
	for (size_t s = 0; s < set->shard_count; s++) {
		for (size_t i = 0; i < set->shards[s].slot_count; i++)
			if (set->shards[s].slots[i] != UINT64_MAX) {
				assert_true(got < count);
				found[got++] = set->shards[s].slots[i];
			}
		if (set->shards[s].has_last)
			found[got++] = UINT64_MAX;
	}
	assert_int_equal(got, count);
	assert_int_equal(distinct(found, got), count);
	assert_memory_equal(found, numbers, count * sizeof *found);
	free(found);
}

static void sets_keep_one_of_each(void **state)
{
	(void)state;
	enum { MOST = 5000 };
	uint64_t seed = test_seed(), *numbers = calloc(MOST, sizeof *numbers);
	for (unsigned threads = 1; threads <= 3; threads++) {
		gemp_integer_set set;
		gemp_threads_limit(threads);
		gemp_integer_set_init(&set);
		for (size_t i = 0; i < MOST; i++)
			numbers[i] = gemp_random_below(&seed, 9) ? gemp_random_below(&seed, 2000)
			                                         : UINT64_MAX - gemp_random_below(&seed, 4);
		for (size_t at = 0, count; at < MOST; at += count) {
			count = gemp_random_below(&seed, 700);
			count = count < MOST - at ? count : MOST - at;
			assert_int_equal(gemp_integer_set_add(&set, numbers + at, count), GEMP_OK);
		}
		expect(&set, numbers, distinct(numbers, MOST));
		gemp_integer_set_free(&set);
	}
	gemp_threads_limit(0);
	free(numbers);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void places_come_back(void **state)
{
	(void)state;
	enum { COUNT = 400 };
	uint64_t seed = test_seed(), places[COUNT], place = 7;
	gemp_edge_list list = { 0 };
	for (size_t e = 0; e < COUNT; e++) {
		uint64_t what = gemp_random_below(&seed, 9);
		place = what == 0 ? gemp_random_below(&seed, 1000) : what < 3 ? place : place + 1;
		places[e] = place;
		if (what == 8 && e > 0 && e <= 98) { /* two edges at once */
			const int64_t ends[4] = { gemp_integer_of(e), gemp_integer_of(e + 1), gemp_integer_of(e + 1),
				                      gemp_integer_of(e + 2) };
			uint64_t step = gemp_random_below(&seed, 2);
			assert_int_equal(gemp_edge_list_add_all(&list, ends, 2, 0, place, step), GEMP_OK);
			place += step;
			places[++e] = place;
		} else {
			assert_int_equal(gemp_edge_list_add(&list, e, e + 1, e > 100 && e % 3 == 0, place), GEMP_OK);
		}
	}
	for (size_t e = 0; e < COUNT; e++) {
		assert_true(gemp_edge_list_place(&list, e) == places[e]);
		assert_true(list.types[e] == (e > 100 && e % 3 == 0));
		assert_true(list.ends[2 * e] == e && list.ends[2 * e + 1] == e + 1);
	}
	gemp_edge_list_free(&list);
	assert_int_equal(gemp_memory_blocks(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_keep_one_of_each),
		cmocka_unit_test(places_come_back),
	};
	return test_main(tests);
}
