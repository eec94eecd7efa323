/* Compares bitsets, in words of either width, with an array of booleans. */
#include "core/bitset.h"
#include "harness/harness.h"

#include "core/random.h"

#include <string.h>

enum { BITS = 200, WORDS32 = 7, WORDS64 = 4 };

static void members_are_those_that_were_set(void **state)
{
	bool set[BITS] = { false };
	uint32_t narrow[WORDS32] = { 0 };
	uint64_t wide[WORDS64] = { 0 }, random = 7;
	(void)state;
	assert_int_equal(gemp_bits32_words(BITS), WORDS32);
	for (int round = 0; round < 300; round++) {
		uint64_t i = gemp_random_below(&random, BITS);
		bool before = set[i];
		set[i] = true;
		if (round % 2) {
			gemp_bits32_set(narrow, i);
			assert_int_equal(gemp_bits64_set_atomic(wide, i), before);
		} else {
			gemp_bits64_set(wide, i);
			assert_int_equal(gemp_bits32_set_atomic(narrow, i), before);
		}
		if (round % 7 == 0) {
			set[i] = false;
			gemp_bits32_clear(narrow, i);
			wide[i / 64] ^= UINT64_C(1) << i % 64;
		}
	}
	uint64_t count = 0, in_word = 0;
	for (uint64_t i = 0; i < BITS; i++) {
		in_word = i % 32 ? in_word : 0;
		assert_int_equal(gemp_bits32_test(narrow, i), set[i]);
		assert_int_equal(gemp_bits64_test(wide, i), set[i]);
		assert_int_equal(gemp_bits32_count_before(narrow[i / 32], i), in_word);
		assert_int_equal(gemp_bits64_count(wide, i / 64) + gemp_bits64_count_before(wide[i / 64], i), count);
		in_word += set[i];
		count += set[i];
	}
	assert_int_equal(gemp_bits32_count(narrow, WORDS32), count);
}

static void trimmed_sets_have_no_bits_beyond_their_end(void **state)
{
	uint32_t words[3];
	(void)state;
	for (uint64_t bits = 0; bits <= 64; bits++) {
		memset(words, 0xff, sizeof words);
		gemp_bits32_trim(words, bits);
		assert_int_equal(gemp_bits32_count(words, gemp_bits32_words(bits)), bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(members_are_those_that_were_set),
		                                cmocka_unit_test(trimmed_sets_have_no_bits_beyond_their_end) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
