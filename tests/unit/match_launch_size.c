/* Tests the sizes of launches by the formulas of GEMP, with searches of a known number of matches for each task. */
#include "harness/harness.h"

#include "core/random.h"
#include "match/search/launch_size.h"

#include <math.h>

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* The figures of each case follow from the formulas on paper. */
static void formulas(void **state)
{
	(void)state;
	assert_true(near(gemp_launch_size_next(100, 1000, 500, 0.8), 160)); /* (1): 100 * (1000 / 500) * .8 */
	assert_true(near(gemp_launch_size_next(100, 1000, 1000, 0.8), 80)); /* (1): a full buffer */
	assert_true(near(gemp_launch_size_next(100, 1000, 1200, 0.8), 100 / 1.2 * 0.8));
	assert_true(near(gemp_launch_size_next(100, 1000, 1250, 0.8), 80));   /* (3) is false at B / b = C: (2) */
	assert_true(near(gemp_launch_size_next(100, 1000, 100000, 0.8), 80)); /* (2): no more than C for one overflow */
	assert_true(near(gemp_launch_size_next(100, 1000, 0, 0.8), 80000));   /* no match: as if there had been one */
	assert_true(near(gemp_launch_size_next(100, 1000, 500, 1.5), 300));   /* C may exceed 1 */
}

/* If each task has the same number of matches, the second launch and all later ones fill the buffer to the factor. */
static void equal_tasks_fill_the_buffer(void **state)
{
	(void)state;
	const double factors[] = { 0.2, 0.5, 0.8, 1 }, matches[] = { 0.01, 1, 7, 123 };
	for (size_t f = 0; f < 4; f++)
		for (size_t m = 0; m < 4; m++) {
			const uint64_t capacity = 1000000;
			double tasks = 1000;
			for (int launch = 0; launch < 5; launch++) {
				tasks = gemp_launch_size_next(tasks, capacity, (uint64_t)(tasks * matches[m]), factors[f]);
				assert_true(fabs(tasks * matches[m] / (double)capacity - factors[f]) < 0.1 * factors[f]);
			}
		}
}

/* If tasks have random numbers of matches, launches use the buffer to about the factor, and few of them overflow. */
static void random_tasks_rarely_overflow(void **state)
{
	(void)state;
	uint64_t random = 1, overflows = 0;
	const uint64_t capacity = 10000, launches = 2000;
	double tasks = 16, used = 0;
	for (uint64_t launch = 0; launch < launches; launch++) {
		uint64_t wanted = 0;
		for (uint64_t task = 0; task < (uint64_t)tasks; task++)
			wanted += gemp_random_below(&random, 21); /* 10 on average, with a standard deviation of 6.06 */
		overflows += wanted > capacity;
		used += (double)wanted / (double)capacity;
		tasks = fmax(1, gemp_launch_size_next(tasks, capacity, wanted, 0.8));
	}
	assert_true(fabs(used / (double)launches - 0.8) < 0.02);
	assert_true(overflows <= 2); /* the buffer is 11 standard deviations above the mean */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formulas),
		cmocka_unit_test(equal_tasks_fill_the_buffer),
		cmocka_unit_test(random_tasks_rarely_overflow),
	};
	return test_main(tests);
}
