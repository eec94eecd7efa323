/* Tests sets of numbers against a sorted array, for both widths, any hashes, budgets and removals. */
#include "harness/harness.h"
#include "harness/limits.h"

#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "primitive/number_set.h"

#include <stdlib.h>

enum { UNIVERSE = 5000 };

/* The number of index i. The words of the wide number 0 differ from all others in one word only. */
static void number(size_t width, size_t i, uint64_t out[GEMP_NUMBER_WORDS])
{
	out[0] = width == 1 ? i + 1 : i / 7 + 1;
	out[1] = width == 1 ? 0 : i % 7;
}

static void check(const gemp_number_set *set, const uint8_t *has)
{
	size_t count = 0, slots = 0;
	for (size_t i = 0; i < UNIVERSE; i++) {
		uint64_t words[GEMP_NUMBER_WORDS];
		number(set->width, i, words);
		count += has[i];
		if (gemp_number_set_has(set, (uint32_t *)words) != has[i])
			fail_msg("number %zu: expected %d", i, has[i]);
	}
	for (size_t i = 0; set->leaf && i < (size_t)1 << set->level; i++)
		for (size_t at = 0; at < set->leaf[i].slot_count; at++)
			slots += set->leaf[i].slots[at * set->width] != 0;
	assert_int_equal(gemp_number_set_count(set), count);
	assert_int_equal(slots, count);
}

static void add_block(gemp_number_set *set, uint64_t *seed, uint8_t *has, size_t count)
{
	uint64_t *block = calloc(count * set->width + 1, sizeof *block), words[GEMP_NUMBER_WORDS];
	bool fits;
	size_t added = 0;
	for (size_t i = 0; i < count; i++) {
		size_t drawn = gemp_random_below(seed, UNIVERSE);
		number(set->width, drawn, words);
		for (size_t w = 0; w < set->width; w++)
			block[i * set->width + w] = words[w];
		has[drawn] = 1;
	}
	while (added < count) {
		added += gemp_number_set_add_some(set, block + added * set->width, count - added);
		if (added == count)
			break;
		assert_ok(gemp_number_set_grow(set, (uint32_t *)(block + added * set->width), &fits));
		assert_true(fits);
	}
	free(block);
}

/* Keeps the numbers whose first word is no multiple of 3. */
static bool keep_some(void *context, const uint32_t *record, uint64_t *hash)
{
	uint64_t first;
	(void)context, (void)hash;
	memcpy(&first, record, sizeof first);
	return first % 3 != 0;
}

/* Leaves are split while hashes differ, and grow by themselves where the mask makes them equal. */
static void check_random_set(size_t width, uint64_t mask, uint64_t *seed)
{
	gemp_number_set set;
	uint8_t *has = calloc(UNIVERSE, 1);
	gemp_number_set_init(&set, width, mask);
	set.budget = SIZE_MAX;
	set.expected = (size_t)gemp_random_below(seed, UNIVERSE);
	check(&set, has);
	for (size_t round = 0; round < 6; round++) {
		add_block(&set, seed, has, (size_t)gemp_random_below(seed, 900));
		check(&set, has);
		if (round % 2 == 0)
			continue;
		gemp_number_set_retain(&set, keep_some, NULL);
		for (size_t i = 0; i < UNIVERSE; i++) {
			uint64_t words[GEMP_NUMBER_WORDS];
			number(width, i, words);
			has[i] = has[i] && words[0] % 3 != 0;
		}
		check(&set, has);
	}
	if (mask == UINT64_MAX && set.leaf_slots == 64)
		assert_true(set.level > 2);
	gemp_number_set_clear(&set);
	memset(has, 0, UNIVERSE);
	check(&set, has);
	gemp_number_set_free(&set);
	free(has);
}

static void same_as_an_array(void **state)
{
	(void)state;
	static const uint64_t masks[] = { UINT64_MAX, 0xff, UINT64_C(0xff) << 56, 1 };
	static const size_t leaves[] = { 16, 64, 1 << 14 };
	uint64_t seed = test_seed();
	for (size_t l = 0; l < 3; l++) {
		TEST_LIMIT(number_leaf, leaves[l]);
		for (size_t width = 1; width <= GEMP_NUMBER_WORDS; width++)
			for (size_t m = 0; m < 4; m++)
				check_random_set(width, masks[m], &seed);
	}
	TEST_LIMIT_DEFAULT(number_leaf);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void budget_is_kept(void **state)
{
	(void)state;
	gemp_number_set set;
	bool fits = true;
	size_t added = 0;
	gemp_number_set_init(&set, 2, UINT64_MAX);
	set.budget = 10000;
	while (fits) {
		uint64_t words[GEMP_NUMBER_WORDS];
		number(2, added, words);
		assert_ok(gemp_number_set_add(&set, (uint32_t *)words, &fits));
		added += fits;
		assert_true(set.slot_count * 16 <= set.budget && gemp_number_set_count(&set) == added);
	}
	assert_true(added > 100);
	gemp_number_set_free(&set);
}

static int by_tag(const void *a, const void *b)
{
	const uint32_t x = gemp_slot_tag(gemp_number_hash(a, 1)), y = gemp_slot_tag(gemp_number_hash(b, 1));
	return (x > y) - (x < y);
}

enum { ORDERED = 40000 };

/* The numbers from 1 on in the order of their places. */
static uint64_t *ordered_numbers(void)
{
	uint64_t *numbers = calloc(ORDERED, sizeof *numbers);
	for (size_t i = 0; i < ORDERED; i++)
		numbers[i] = i + 1;
	qsort(numbers, ORDERED, sizeof *numbers, by_tag);
	return numbers;
}

/* Numbers may come in the order of their places, after known numbers or without any: the first leaves are then full
 * while all others are empty, and become larger. The set divides its numbers nevertheless, and is not much larger
 * than they are. */
static void numbers_in_order(void **state)
{
	(void)state;
	uint64_t *numbers = ordered_numbers();
	TEST_LIMIT(number_leaf, 1024);
	for (size_t known = 0; known <= ORDERED / 8; known += ORDERED / 8) {
		gemp_number_set set;
		bool fits;
		gemp_number_set_init(&set, 1, UINT64_MAX);
		set.budget = SIZE_MAX;
		for (uint64_t i = 1; i <= known; i++)
			assert_ok(gemp_number_set_add(&set, (uint32_t *)&i, &fits));
		for (size_t i = 0; i < ORDERED; i++)
			assert_ok(gemp_number_set_add(&set, (uint32_t *)&numbers[i], &fits));
		assert_int_equal(gemp_number_set_count(&set), ORDERED);
		assert_true(set.level > 4);
		assert_in_range(set.slot_count, ORDERED, 4 * ORDERED);
		for (size_t i = 0; i < ORDERED; i++)
			assert_true(gemp_number_set_has(&set, (uint32_t *)&numbers[i]));
		gemp_number_set_free(&set);
	}
	TEST_LIMIT_DEFAULT(number_leaf);
	free(numbers);
}

/* If the budget has no room for leaves of one size beside the old ones, the set keeps what it has. */
static void ordered_numbers_within_budget(void **state)
{
	(void)state;
	uint64_t *numbers = ordered_numbers();
	TEST_LIMIT(number_leaf, 64);
	for (size_t budget = 1 << 10; budget < ORDERED * sizeof *numbers; budget *= 3) {
		gemp_number_set set;
		bool fits = true;
		size_t added = 0;
		gemp_number_set_init(&set, 1, UINT64_MAX);
		set.budget = budget;
		while (fits && added < ORDERED) {
			assert_ok(gemp_number_set_add(&set, (uint32_t *)&numbers[added], &fits));
			assert_true(set.slot_count * sizeof *numbers <= budget);
			added += fits;
		}
		assert_in_range(added, budget / sizeof *numbers / 8, ORDERED - 1);
		assert_int_equal(gemp_number_set_count(&set), added);
		for (size_t i = 0; i < ORDERED; i++)
			assert_true(gemp_number_set_has(&set, (uint32_t *)&numbers[i]) == (i < added));
		gemp_number_set_free(&set);
	}
	TEST_LIMIT_DEFAULT(number_leaf);
	free(numbers);
}

/* A budget of whole leaves is used up, whatever the number of threads. */
static void budget_is_used(void **state)
{
	(void)state;
	TEST_LIMIT(number_leaf, 64);
	for (size_t leaves = 2; leaves <= 32; leaves *= 2) {
		gemp_number_set set;
		bool fits = true;
		gemp_number_set_init(&set, 1, UINT64_MAX);
		set.budget = leaves * 64 * sizeof(uint64_t);
		for (uint64_t i = 1; fits; i++)
			assert_ok(gemp_number_set_add(&set, (uint32_t *)&i, &fits));
		assert_int_equal(set.slot_count, leaves * 64);
		gemp_number_set_free(&set);
	}
	TEST_LIMIT_DEFAULT(number_leaf);
}

/* Small leaves become larger, are split, and are made even. */
static gemp_code use(void *numbers)
{
	gemp_number_set set;
	bool fits = true;
	gemp_code code = GEMP_OK;
	gemp_number_set_init(&set, 1, UINT64_MAX);
	set.budget = SIZE_MAX;
	for (uint64_t i = 1; i < 200 && code == GEMP_OK; i++)
		code = gemp_number_set_add(&set, (uint32_t *)&i, &fits);
	for (size_t i = 0; i < 2000 && code == GEMP_OK; i++)
		code = gemp_number_set_add(&set, (uint32_t *)numbers + 2 * i, &fits);
	gemp_number_set_free(&set);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	uint64_t *numbers = ordered_numbers();
	TEST_LIMIT(number_leaf, 64);
	assert_survives_no_memory(use, numbers);
	TEST_LIMIT_DEFAULT(number_leaf);
	free(numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_an_array),
		cmocka_unit_test(budget_is_kept),
		cmocka_unit_test(budget_is_used),
		cmocka_unit_test(numbers_in_order),
		cmocka_unit_test(ordered_numbers_within_budget),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
