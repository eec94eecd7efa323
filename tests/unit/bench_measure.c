/* Tests the statistics of repeated measurements. */
#include "harness/harness.h"

#include "bench/measure.h"

static void spread_is(const double *values, size_t count, double least, double median, double most)
{
	double copy[8];
	for (size_t i = 0; i < count; i++)
		copy[i] = values[i];
	gemp_spread spread = gemp_spread_of(copy, count);
	assert_true(spread.min == least && spread.median == median && spread.max == most);
}

static void spreads(void **state)
{
	(void)state;
	spread_is((const double[]){ 3 }, 1, 3, 3, 3);
	spread_is((const double[]){ 4, 2 }, 2, 2, 3, 4);
	spread_is((const double[]){ 9, 1, 5 }, 3, 1, 5, 9);
	spread_is((const double[]){ 8, 1, 2, 4 }, 4, 1, 3, 8);
	spread_is((const double[]){ 2, 2, 2, 2, 2 }, 5, 2, 2, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spreads),
	};
	return test_main(tests);
}
