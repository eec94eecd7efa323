/* Compares prefix sums and shifts on all threads with a sequential loop. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/threads.h"

#include <stdlib.h>
#include <string.h>

static void check(size_t count, uint64_t *random)
{
	uint64_t *numbers = malloc((count + 1) * sizeof *numbers), *expected = malloc((count + 1) * sizeof *expected);
	uint64_t sum = 0;
	for (size_t i = 0; i < count; i++) {
		numbers[i] = gemp_random_below(random, 5);
		expected[i] = sum += numbers[i];
	}
	gemp_prefix_inclusive(numbers, count);
	assert_true(count == 0 || memcmp(numbers, expected, count * sizeof *numbers) == 0);
	if (count) {
		gemp_prefix_shift(numbers, count);
		assert_int_equal(numbers[0], 0);
		assert_true(memcmp(numbers + 1, expected, (count - 1) * sizeof *numbers) == 0);
	}
	free(numbers);
	free(expected);
}

static void test_sums(void **state)
{
	static const size_t counts[] = { 0, 1, 2, 63, 64, 16383, 16384, 16385, 100003, 1 << 20 };
	uint64_t seed = test_seed();
	(void)state;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		check(counts[i], &seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums) };
	return test_main(tests);
}
