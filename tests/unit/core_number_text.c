/* Compares the texts of numbers with those of printf. */
#include "harness/harness.h"

#include "core/number_text.h"
#include "core/random.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_integer(int64_t value)
{
	char text[GEMP_INTEGER_TEXT + 1], expected[32];
	*gemp_integer_put(text, value) = '\0';
	snprintf(expected, sizeof expected, "%" PRId64, value);
	assert_string_equal(text, expected);
}

/* 15, 16 or 17 digits, the first that reads back; ".0" behind what looks like an integer. */
static void check_float(double value)
{
	char text[GEMP_FLOAT_TEXT + 1], expected[48];
	*gemp_float_put(text, value) = '\0';
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(expected, sizeof expected, "%.*g", digits, value);
		if (strtod(expected, NULL) == value)
			break;
	}
	if (!strpbrk(expected, ".en"))
		strcat(expected, ".0");
	assert_string_equal(text, expected);
	assert_true(isnan(value) || strtod(text, NULL) == value);
}

static void integers(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	static const int64_t special[] = { 0, -1, INT64_MAX, INT64_MIN, INT64_MIN + 1 };
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		check_integer(special[i]);
	for (int64_t power = 1; power < INT64_MAX / 10; power *= 10)
		for (int64_t delta = -1; delta <= 1; delta++) {
			check_integer(power + delta);
			check_integer(-power + delta);
		}
	for (int i = 0; i < 100000; i++)
		check_integer((int64_t)(gemp_random(&seed) >> gemp_random_below(&seed, 64)));
}

static void floats(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	static const double special[] = { 0.0,
		                              -0.0,
		                              NAN,
		                              INFINITY,
		                              -INFINITY,
		                              DBL_MAX,
		                              DBL_MIN,
		                              5e-324,
		                              1e-4,
		                              1e-5,
		                              9.99e-5,
		                              1e14,
		                              1e15,
		                              1e16,
		                              1e17,
		                              1e22,
		                              1e23,
		                              0.1,
		                              0.3,
		                              2.0 / 3,
		                              1e15 - .5,
		                              1e15 - 1,
		                              123456789012345.6,
		                              99999.5,
		                              -12.5,
		                              4503599627370496.5 };
	for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
		check_float(special[i]);
		check_float(-special[i]);
		check_float(nextafter(special[i], 1e300));
		check_float(nextafter(special[i], -1e300));
	}
	for (int i = 0; i < 100000; i++) {
		const uint64_t bits = gemp_random(&seed);
		double any;
		memcpy(&any, &bits, sizeof any);
		check_float(any);
		const double digits = (double)(gemp_random(&seed) >> (1 + gemp_random_below(&seed, 60)));
		const double decimal = digits / pow(10, (double)gemp_random_below(&seed, 20));
		check_float(decimal);
		check_float(nextafter(decimal, 0));
		check_float(-decimal);
		check_float(gemp_random_unit(&seed));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers),
		cmocka_unit_test(floats),
	};
	return test_main(tests);
}
