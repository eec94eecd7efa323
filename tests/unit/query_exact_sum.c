/* Tests sums of doubles without rounding, against 128-bit integers and known cases. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "query/rows/accumulator.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double sum_of(const double *values, size_t count, uint64_t n)
{
	gemp_exact_sum sum = { 0 };
	for (size_t i = 0; i < count; i++)
		assert_ok(gemp_exact_sum_add(&sum, values[i], 1));
	double result = gemp_exact_sum_round(&sum, n);
	gemp_exact_sum_free(&sum);
	return result;
}

static bool same(double a, double b)
{
	return (isnan(a) && isnan(b)) || a == b;
}

/* Sums in which double arithmetic would lose digits are exact. */
static void nothing_is_lost(void **state)
{
	(void)state;
	const double big[] = { 1e100, 1.0, -1e100 }, tenths[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	const double far[] = { DBL_MAX, DBL_TRUE_MIN, -DBL_MAX }, three[] = { DBL_MAX, DBL_MAX, -DBL_MAX };
	const double half_up[] = { 1.0, 0x1p-53, 0x1p-106 }, half_even[] = { 1.0, 0x1p-53 },
				 half_odd[] = { 1.0 + 0x1p-52, 0x1p-53 };
	assert_true(sum_of(big, 3, 1) == 1.0);
	assert_true(sum_of(tenths, 10, 1) == 1.0);
	assert_true(sum_of(far, 3, 1) == DBL_TRUE_MIN);
	assert_true(sum_of(three, 3, 1) == DBL_MAX);
	assert_true(sum_of(half_up, 3, 1) == 1.0 + 0x1p-52);
	assert_true(sum_of(half_even, 2, 1) == 1.0);
	assert_true(sum_of(half_odd, 2, 1) == 1.0 + 0x1p-51);
	assert_true(sum_of(NULL, 0, 1) == 0);
}

static void infinities_and_nan(void **state)
{
	(void)state;
	const double up[] = { 1, INFINITY }, down[] = { -INFINITY, 5 }, both[] = { INFINITY, -INFINITY },
				 none[] = { 1, NAN };
	const double over[] = { DBL_MAX, DBL_MAX }, under[] = { -DBL_MAX, -DBL_MAX };
	assert_true(same(sum_of(up, 2, 1), INFINITY));
	assert_true(same(sum_of(down, 2, 1), -INFINITY));
	assert_true(isnan(sum_of(both, 2, 1)));
	assert_true(isnan(sum_of(none, 2, 1)));
	assert_true(same(sum_of(over, 2, 1), INFINITY));
	assert_true(same(sum_of(over, 2, 2), DBL_MAX));
	assert_true(same(sum_of(under, 2, 1), -INFINITY));
}

static void means_round_to_even(void **state)
{
	(void)state;
	const double least[] = { DBL_TRUE_MIN }, three[] = { 3 * DBL_TRUE_MIN }, third[] = { 1.0 }, whole[] = { -7.0 };
	assert_true(sum_of(least, 1, 2) == 0); /* a tie rounds to even */
	assert_true(sum_of(three, 1, 2) == 2 * DBL_TRUE_MIN);
	assert_true(sum_of(least, 1, UINT64_MAX) == 0);
	assert_true(sum_of(third, 1, 3) == 1.0 / 3);
	assert_true(sum_of(whole, 1, 7) == -1);
}

/* Addends are mantissa * 2^exponent with exponents in a narrow range, so sums are 128-bit integers times the least
 * power. */
static void random_sums(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int trial = 0; trial < 2000; trial++) {
		enum { MOST = 40, RANGE = 60 };
		int base = (int)gemp_random_below(&seed, 1900) - 1060;
		size_t count = 1 + gemp_random_below(&seed, MOST);
		__int128 whole = 0;
		gemp_exact_sum forth = { 0 }, parts[2] = { { 0 }, { 0 } };
		double values[MOST];
		for (size_t i = 0; i < count; i++) {
			int shift = (int)gemp_random_below(&seed, RANGE);
			int64_t mantissa = (int64_t)(gemp_random(&seed) >> 11) * (gemp_random_below(&seed, 2) ? 1 : -1);
			values[i] = ldexp((double)mantissa, base + shift);
			whole += (__int128)mantissa * ((__int128)1 << shift);
			assert_ok(gemp_exact_sum_add(&forth, values[i], 1));
		}
		for (size_t i = count; i-- > 0;)
			assert_ok(gemp_exact_sum_add(&parts[i % 2], values[i], 1));
		gemp_text packed = { 0 };
		assert_ok(gemp_exact_sum_pack(&parts[1], &packed));
		const char *at = packed.data;
		assert_ok(gemp_exact_sum_merge_packed(&parts[0], &at));
		assert_ptr_equal(at, packed.data + packed.size);
		/* the conversion of an integer rounds to nearest even, and scaling is exact except for subnormal results */
		double expected = ldexp((double)whole, base), found = gemp_exact_sum_round(&forth, 1);
		if (fabs(expected) >= DBL_MIN || expected == 0)
			assert_true(found == expected);
		assert_true(gemp_exact_sum_round(&parts[0], 1) == found);
		gemp_text_free(&packed);
		gemp_exact_sum_free(&forth);
		gemp_exact_sum_free(&parts[0]);
		gemp_exact_sum_free(&parts[1]);
	}
}

/* The mean of n values whose sum is q * n + r, where q has 53 bits. Integer arithmetic decides how the fraction r / n
 * rounds. */
static void random_means(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int trial = 0; trial < 2000; trial++) {
		gemp_exact_sum sum = { 0 };
		uint64_t n = 1 + gemp_random(&seed) % (UINT64_C(1) << (1 + gemp_random_below(&seed, 60)));
		uint64_t q = (UINT64_C(1) << 52) + (gemp_random(&seed) >> 12), r = gemp_random_below(&seed, n);
		__int128 whole = (__int128)q * n + r;
		assert_ok(gemp_exact_sum_add_integer(&sum, trial % 2 ? -whole : whole, 0));
		bool up = r > n - r || (r == n - r && (q & 1)); /* q is a double, and the next double is q + 1 */
		double expected = (double)(q + up);
		assert_true(gemp_exact_sum_round(&sum, n) == (trial % 2 ? -expected : expected));
		gemp_exact_sum_free(&sum);
	}
}

static void repeated_addends(void **state)
{
	(void)state;
	gemp_exact_sum sum = { 0 };
	assert_ok(gemp_exact_sum_add(&sum, 0.1, UINT64_MAX));
	assert_ok(gemp_exact_sum_add(&sum, 0.1, 1));
	assert_true(gemp_exact_sum_round(&sum, 1) == 0x1p64 * 0.1);
	assert_ok(gemp_exact_sum_add(&sum, -0.1, UINT64_MAX));
	assert_ok(gemp_exact_sum_add(&sum, -0.1, 1));
	assert_true(gemp_exact_sum_round(&sum, 1) == 0);
	gemp_exact_sum_free(&sum);
	for (int i = 0; i < 100; i++)
		assert_ok(gemp_exact_sum_add(&sum, DBL_MAX, UINT64_MAX));
	assert_true(gemp_exact_sum_round(&sum, UINT64_MAX) == INFINITY);
	for (int i = 0; i < 99; i++)
		assert_ok(gemp_exact_sum_add(&sum, -DBL_MAX, UINT64_MAX));
	assert_true(gemp_exact_sum_round(&sum, UINT64_MAX) == DBL_MAX);
	gemp_exact_sum_free(&sum);
}

static gemp_code add_some(void *unused)
{
	(void)unused;
	gemp_exact_sum sum = { 0 };
	gemp_code code = GEMP_OK;
	GEMP_TRY_DONE(gemp_exact_sum_add(&sum, 1, 1));
	GEMP_TRY_DONE(gemp_exact_sum_add(&sum, 1e200, 1));
	GEMP_TRY_DONE(gemp_exact_sum_add(&sum, -1e-200, 1));
done:
	gemp_exact_sum_free(&sum);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(add_some, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost), cmocka_unit_test(infinities_and_nan), cmocka_unit_test(means_round_to_even),
		cmocka_unit_test(random_sums),     cmocka_unit_test(random_means),       cmocka_unit_test(repeated_addends),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
