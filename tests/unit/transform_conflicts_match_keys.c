/* Compares rows sorted by their tuples with qsort, for few and many rows and several distributions. Tests slot tables,
 * too. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/threads.h"
#include "transform/conflicts/conflict_keys.h"
#include "transform/conflicts/match_order.h"

#include <stdlib.h>

enum { MAX_ROWS = 60000, WIDTH = 3 };

static uint64_t tuples[MAX_ROWS * WIDTH];
static size_t rows[MAX_ROWS], expected[MAX_ROWS], width;

static int compare_rows(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	for (size_t i = 0; i < width; i++)
		if (tuples[x * width + i] != tuples[y * width + i])
			return tuples[x * width + i] < tuples[y * width + i] ? -1 : 1;
	return (x > y) - (x < y); /* equal rows keep their order */
}

/* Draws from one of five distributions: all values, one value, few values with outliers, powers of two, many small
 * values. */
static uint64_t draw(uint64_t *seed, uint64_t kind)
{
	uint64_t number = gemp_random(seed);
	switch (kind) {
	case 0: return number;
	case 1: return 7;
	case 2: return number % 5 ? number % 100 : UINT64_MAX;
	case 3: return (uint64_t)1 << number % 64;
	default: return number % 100000;
	}
}

static void test_rows_are_sorted(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 13, 500, 8192, 8193, 30000, MAX_ROWS };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t i = 0; i < 4 * sizeof counts / sizeof *counts; i++) {
		size_t count = counts[i / 4];
		uint64_t kinds[WIDTH];
		width = 1 + gemp_random_below(&seed, WIDTH);
		for (size_t c = 0; c < WIDTH; c++)
			kinds[c] = gemp_random_below(&seed, 5);
		for (size_t row = 0; row < count; row++) {
			rows[row] = expected[row] = row;
			for (size_t c = 0; c < width; c++)
				tuples[row * width + c] = draw(&seed, kinds[c]);
		}
		gemp_threads_limit(1 + i % 4);
		assert_int_equal(gemp_tuple_sort(tuples, width, rows, count), GEMP_OK);
		qsort(expected, count, sizeof *expected, compare_rows);
		assert_memory_equal(rows, expected, count * sizeof *rows);
	}
	gemp_threads_limit(0);
}

static gemp_code sort_again(void *argument)
{
	(void)argument;
	for (size_t row = 0; row < 20000; row++)
		rows[row] = row;
	return gemp_tuple_sort(tuples, 2, rows, 20000);
}

static void test_sort_without_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(sort_again, NULL);
}

/* With few slots, a slot is its own index; otherwise its index is hashed. Equal slots have equal indices. */
static void test_slots_have_their_indices(void **state)
{
	static uint64_t slots[1000];
	static size_t indices[1000];
	static const uint64_t bounds[] = { 1000, 100000, (uint64_t)1 << 62 };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t b = 0; b < 3; b++) {
		gemp_slot_table all;
		assert_int_equal(gemp_slot_table_new(&all, bounds[b], 1000, 32), GEMP_OK);
		for (size_t i = 0; i < 1000; i++)
			indices[i] = gemp_slot_table_index(&all,
			                                   slots[i] = i % 3 ? gemp_random_below(&seed, bounds[b]) : bounds[b] - 1);
		for (size_t i = 0; i < 1000; i++) {
			assert_true(indices[i] < all.count && gemp_slot_table_index(&all, slots[i]) == indices[i]);
			for (size_t k = 0; k < i; k++)
				assert_true((slots[i] == slots[k]) == (indices[i] == indices[k]));
		}
		gemp_slot_table_free(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_are_sorted),
		cmocka_unit_test(test_sort_without_memory),
		cmocka_unit_test(test_slots_have_their_indices),
	};
	return test_main(tests);
}
