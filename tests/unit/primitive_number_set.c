/* Tests sets of numbers against a sorted array, for both widths, any hashes, budgets and removals. */
#include "harness/harness.h"

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
	for (size_t at = 0; at < set->slot_count; at++)
		slots += set->slots[at * set->width] != 0;
	assert_int_equal(set->count, count);
	assert_int_equal(slots, count);
}

static void add_block(gemp_number_set *set, uint64_t *seed, uint8_t *has, size_t count)
{
	uint64_t *block = calloc(count * set->width + 1, sizeof *block), words[GEMP_NUMBER_WORDS];
	bool fits;
	for (size_t i = 0; i < count; i++) {
		size_t drawn = gemp_random_below(seed, UNIVERSE);
		number(set->width, drawn, words);
		for (size_t w = 0; w < set->width; w++)
			block[i * set->width + w] = words[w];
		has[drawn] = 1;
	}
	assert_ok(gemp_number_set_reserve(set, count, &fits));
	assert_true(fits);
	gemp_number_set_add_reserved(set, (uint32_t *)block, count);
	gemp_number_set_trim(set);
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

static void same_as_an_array(void **state)
{
	(void)state;
	static const uint64_t masks[] = { UINT64_MAX, 0xff, UINT64_C(0xff) << 56, 1 };
	uint64_t seed = test_seed();
	for (size_t width = 1; width <= GEMP_NUMBER_WORDS; width++)
		for (size_t m = 0; m < 4; m++) {
			gemp_number_set set;
			uint8_t *has = calloc(UNIVERSE, 1);
			gemp_number_set_init(&set, width, masks[m]);
			set.budget = SIZE_MAX;
			check(&set, has);
			for (size_t round = 0; round < 6; round++) {
				add_block(&set, &seed, has, (size_t)gemp_random_below(&seed, 900));
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
			gemp_number_set_clear(&set);
			memset(has, 0, UNIVERSE);
			check(&set, has);
			gemp_number_set_free(&set);
			free(has);
		}
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
		assert_true(set.slot_count * 16 <= set.budget && set.count == added);
	}
	assert_true(added > 100);
	assert_ok(gemp_number_set_reserve(&set, 10000, &fits));
	assert_true(!fits && set.count == added);
	gemp_number_set_free(&set);
}

static gemp_code use(void *unused)
{
	gemp_number_set set;
	bool fits = true;
	(void)unused;
	gemp_code code = GEMP_OK;
	gemp_number_set_init(&set, 1, UINT64_MAX);
	set.budget = SIZE_MAX;
	for (uint64_t i = 1; i < 200 && code == GEMP_OK; i++)
		code = gemp_number_set_add(&set, (uint32_t *)&i, &fits);
	gemp_number_set_free(&set);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(use, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_an_array),
		cmocka_unit_test(budget_is_kept),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
