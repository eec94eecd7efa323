/* Tests the reproducible sums of som/init/pca.h: a sum is equal for every order and division of its addends, and close
 * to the sum in long double. */
#include "harness/harness.h"

#include "core/random.h"
#include "som/init/pca.h"

enum { COUNT = 20000 };

/* Adds up runs of random length, some of them backwards. Each run has its own partial sum, as each thread has in
 * training. */
static double sum_of(const double *values, gemp_repro_sum by, uint64_t *random)
{
	double high = 0, low = 0;
	for (size_t begin = 0, end; begin < COUNT; begin = end) {
		double part_high = 0, part_low = 0;
		const size_t length = 1 + gemp_random_below(random, 3000);
		const bool back = gemp_random_below(random, 2);
		end = begin + length < COUNT ? begin + length : COUNT;
		for (size_t k = begin; k < end; k++)
			gemp_repro_sum_add(by, values[back ? begin + end - 1 - k : k], &part_high, &part_low);
		high += part_high;
		low += part_low;
	}
	return high + low;
}

static void sums_do_not_depend_on_the_order(void **state)
{
	uint64_t random = test_seed();
	static double values[COUNT];
	int plain_differs = 0;
	(void)state;
	for (int turn = 0; turn < 60; turn++) {
		const double scale = ldexp(1, (int)gemp_random_below(&random, 400) - 200);
		const bool all_above = turn % 2;
		long double exact = 0, sizes = 0;
		double most = 0, back = 0, forth = 0;
		for (size_t k = 0; k < COUNT; k++) {
			const double small = gemp_random_below(&random, 9) ? 1e-6 : 1;
			values[k] = (gemp_random_unit(&random) - (all_above ? 0 : .5)) * small * scale;
			most = fmax(most, fabs(values[k]));
			exact += (long double)values[k];
			sizes += fabsl((long double)values[k]);
		}
		const gemp_repro_sum by = gemp_repro_sum_of(most, COUNT);
		const double sum = sum_of(values, by, &random);
		for (int again = 0; again < 5; again++)
			assert_true(sum_of(values, by, &random) == sum);
		assert_true(fabsl((long double)sum - exact) <= 1e-15L * sizes);
		for (size_t k = 0; k < COUNT; k++) {
			forth += values[k];
			back += values[COUNT - 1 - k];
		}
		plain_differs += forth != back;
		values[gemp_random_below(&random, COUNT)] += 1e-9 * most;
		assert_false(sum_of(values, by, &random) == sum);
	}
	assert_true(plain_differs > 30); /* plain sums do depend on the order */
}

static void no_addends(void **state)
{
	double high = 0, low = 0;
	(void)state;
	gemp_repro_sum_add(gemp_repro_sum_of(0, 0), 0, &high, &low);
	assert_true(high == 0 && low == 0);
	gemp_repro_sum_add(gemp_repro_sum_of(1, 1), 1, &high, &low);
	gemp_repro_sum_add(gemp_repro_sum_of(1, 1), -.25, &high, &low);
	assert_true(high + low == .75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_do_not_depend_on_the_order),
		cmocka_unit_test(no_addends),
	};
	return test_main(tests);
}
