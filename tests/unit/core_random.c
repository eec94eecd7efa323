/* Tests random numbers and hashes against published values and by statistics. */
#include "harness/harness.h"

#include "core/random.h"

#include <string.h>

/* The first numbers from seed 1234567 are those published for SplitMix64. */
static void the_stream_is_splitmix64(void **state)
{
	(void)state;
	static const uint64_t known[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),  UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821),
	};
	uint64_t seed = 1234567;
	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		assert_true(gemp_random(&seed) == known[i]);
}

/* The 64-bit XXH3 of the empty input has its published values with and without a seed, and the hash does not depend on
 * alignment. */
static void the_hash_is_xxh3(void **state)
{
	(void)state;
	assert_true(gemp_hash("", 0, 0) == UINT64_C(0x2d06800538d394c2));
	assert_true(gemp_hash(NULL, 0, 0) == UINT64_C(0x2d06800538d394c2));
	assert_true(gemp_hash("", 0, UINT64_C(0x9e3779b185ebca8d)) == UINT64_C(0xa8a6b918b2f0364a));
	/* The same bytes as in xxHash's sanity check. */
	uint8_t bytes[256 + 8];
	uint64_t generator = UINT64_C(2654435761);
	for (size_t i = 0; i < 256; i++, generator *= UINT64_C(11400714785074694797))
		bytes[i] = (uint8_t)(generator >> 56);
	assert_true(gemp_hash(bytes, 1, 0) == UINT64_C(0xc44bdff4074eecdb));
	assert_true(gemp_hash(bytes, 6, 0) == UINT64_C(0x27b56a84cd2d7325));
	assert_true(gemp_hash(bytes, 12, 0) == UINT64_C(0xa713daf0dfbb77e7));
	assert_true(gemp_hash(bytes, 24, 0) == UINT64_C(0xa3fe70bf9d3510eb));
	assert_true(gemp_hash(bytes, 48, 0) == UINT64_C(0x397da259ecba1f11));
	assert_true(gemp_hash(bytes, 80, 0) == UINT64_C(0xbcdefbbb2c47c90a));
	assert_true(gemp_hash(bytes, 195, 0) == UINT64_C(0xcd94217ee362ec3a));
	uint64_t expected = gemp_hash(bytes, 200, 5);
	memmove(bytes + 3, bytes, 200);
	assert_true(gemp_hash(bytes + 3, 200, 5) == expected);
}

static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

static uint64_t unshift(uint64_t x, int by)
{
	uint64_t y = x;
	for (int i = 0; i < 64 / by; i++)
		y = x ^ (y >> by);
	return y;
}

static void mix_is_a_bijection(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int i = 0; i < 10000; i++) {
		uint64_t x = gemp_random(&seed), y = gemp_mix(x);
		y = unshift(y, 31) * inverse(UINT64_C(0x94d049bb133111eb));
		y = unshift(y, 27) * inverse(UINT64_C(0xbf58476d1ce4e5b9));
		assert_true(unshift(y, 30) == x);
	}
}

static void units_lie_in_the_unit_interval(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	double sum = 0.0, least = 1.0, most = 0.0;
	enum { N = 100000 };
	for (int i = 0; i < N; i++) {
		double x = gemp_random_unit(&seed);
		assert_true(x >= 0.0 && x < 1.0);
		sum += x;
		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	assert_true(sum / N > 0.49 && sum / N < 0.51); /* bounds at ten standard deviations */
	assert_true(least < 0.001 && most > 0.999);
}

static void numbers_below_a_bound_are_uniform(void **state)
{
	(void)state;
	uint64_t seed = test_seed();
	for (int i = 0; i < 100; i++)
		assert_int_equal(gemp_random_below(&seed, 1), 0);
	unsigned seen[7] = { 0 };
	for (int i = 0; i < 70000; i++) {
		uint64_t x = gemp_random_below(&seed, 7);
		assert_true(x < 7);
		seen[x]++;
	}
	for (int i = 0; i < 7; i++)
		assert_true(seen[i] > 9000 && seen[i] < 11000);
	/* The bound is 3/4 of the range. Without rejection, numbers in its lower third would be twice as frequent. */
	uint64_t bound = UINT64_C(3) << 62;
	unsigned low = 0;
	for (int i = 0; i < 30000; i++)
		low += gemp_random_below(&seed, bound) < bound / 3;
	assert_true(low > 9000 && low < 11000);
	assert_true(gemp_random_below(&seed, UINT64_MAX) < UINT64_MAX);
}

static void many_hashes_are_those_of_one_by_one(void **state)
{
	(void)state;
	uint64_t seed = test_seed(), keys[100], hashes[100];
	for (size_t i = 0; i < 100; i++)
		keys[i] = gemp_random(&seed);
	gemp_hash_keys(keys, 100, 7, 11, hashes);
	for (size_t i = 0; i < 100; i++) {
		unsigned char bytes[9] = { 7 };
		for (int b = 0; b < 8; b++)
			bytes[1 + b] = (unsigned char)(keys[i] >> (56 - 8 * b));
		assert_true(hashes[i] == gemp_hash(bytes, sizeof bytes, 11));
	}
	for (size_t size = 1; size <= 24; size++) {
		uint64_t sum = 0, first = gemp_random(&seed);
		for (size_t i = 0; i < 30; i++)
			sum += gemp_hash((const char *)keys + i * size, size, first + i);
		assert_true(gemp_hash_sum(keys, size, 30, first) == sum);
		assert_true(gemp_hash_sum(keys, size, 0, first) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stream_is_splitmix64),
		cmocka_unit_test(the_hash_is_xxh3),
		cmocka_unit_test(many_hashes_are_those_of_one_by_one),
		cmocka_unit_test(mix_is_a_bijection),
		cmocka_unit_test(units_lie_in_the_unit_interval),
		cmocka_unit_test(numbers_below_a_bound_are_uniform),
	};
	return test_main(tests);
}
