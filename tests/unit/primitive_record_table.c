/* Tests the table of records: it is exact for any hashes, stays within its budget, and remains valid after a record did
 * not fit. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "primitive/record_table.h"

#include <string.h>

enum { WORDS = 3, KEY_WORDS = 2, UNIVERSE = 500 };

/* Makes a record with key (k, ~k) and a payload that shows which of several equal records was first. */
static void make_record(uint32_t key, uint32_t payload, uint32_t record[WORDS])
{
	record[0] = key;
	record[1] = ~key;
	record[2] = payload;
}

static uint64_t hash_of(uint32_t key, uint64_t mask)
{
	return gemp_mix(key + 1) & mask;
}

static bool holds(gemp_record_table *table, uint32_t key, uint64_t mask, uint32_t payload)
{
	uint32_t record[WORDS], *found;
	bool added;
	size_t count = table->count;
	make_record(key, 0, record);
	assert_ok(gemp_record_table_add(table, record, hash_of(key, mask), &found, &added));
	return !added && found[0] == key && found[2] == payload && table->count == count;
}

static void every_key_once_whatever_the_hash(void **state)
{
	(void)state;
	static const uint64_t masks[] = { UINT64_MAX, 0, 1, UINT64_C(0xff00000000000000), 0xff };
	uint64_t seed = test_seed();
	for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
		gemp_record_table table;
		uint32_t first[UNIVERSE] = { 0 };
		size_t distinct = 0;
		gemp_record_table_init(&table, WORDS, KEY_WORDS, SIZE_MAX);
		for (uint32_t i = 1; i <= 3000; i++) {
			uint32_t key = (uint32_t)gemp_random_below(&seed, UNIVERSE), record[WORDS], *found;
			bool added;
			make_record(key, i, record);
			gemp_record_table_prefetch(&table, hash_of(key, masks[m]));
			gemp_record_table_prefetch_record(&table, hash_of(key, masks[m]));
			assert_ok(gemp_record_table_add(&table, record, hash_of(key, masks[m]), &found, &added));
			assert_int_equal(added, first[key] == 0);
			first[key] = first[key] ? first[key] : i;
			distinct += added;
			assert_int_equal(found[2], first[key]);
			assert_int_equal(table.count, distinct);
		}
		for (uint32_t key = 0; key < UNIVERSE; key++)
			assert_true(!first[key] || holds(&table, key, masks[m], first[key]));
		gemp_record_table_clear(&table);
		assert_int_equal(table.count, 0);
		uint32_t record[WORDS], *found;
		bool added;
		make_record(7, 9, record);
		assert_ok(gemp_record_table_add(&table, record, hash_of(7, masks[m]), &found, &added));
		assert_true(added);
		gemp_record_table_free(&table);
	}
}

static bool keep_even(void *mask, const uint32_t *record, uint64_t *hash)
{
	*hash = hash_of(record[0], *(uint64_t *)mask);
	return record[0] % 2 == 0;
}

static void keeping_some(void **state)
{
	(void)state;
	for (uint64_t mask = 0; mask <= 1; mask++) {
		gemp_record_table table;
		uint64_t all = mask ? UINT64_MAX : 0;
		gemp_record_table_init(&table, WORDS, KEY_WORDS, SIZE_MAX);
		gemp_record_table_retain(&table, keep_even, &all);
		for (uint32_t key = 0; key < 200; key++)
			assert_false(holds(&table, key, all, 0));
		gemp_record_table_retain(&table, keep_even, &all);
		assert_int_equal(table.count, 100);
		for (uint32_t key = 0; key < 200; key += 2)
			assert_true(holds(&table, key, all, 0));
		assert_false(holds(&table, 1, all, 0));
		gemp_record_table_free(&table);
	}
}

static void a_budget_is_kept(void **state)
{
	(void)state;
	enum { BUDGET = 4000 };
	gemp_record_table table;
	uint32_t key = 0, record[WORDS], *found = record;
	bool added;
	size_t before = gemp_memory_live();
	gemp_record_table_init(&table, WORDS, KEY_WORDS, BUDGET);
	while (found) {
		make_record(key++, 1, record);
		assert_ok(gemp_record_table_add(&table, record, hash_of(key - 1, UINT64_MAX), &found, &added));
		assert_true(gemp_memory_live() - before <= BUDGET);
	}
	assert_false(added);
	assert_int_equal(table.count, key - 1);
	assert_true(table.count > 50);
	for (uint32_t k = 0; k + 1 < key; k++)
		assert_true(holds(&table, k, UINT64_MAX, 1));
	table.budget = SIZE_MAX;
	assert_ok(gemp_record_table_add(&table, record, hash_of(key - 1, UINT64_MAX), &found, &added));
	assert_true(added && found);
	gemp_record_table_free(&table);
	assert_int_equal(gemp_memory_live(), before);
}

static gemp_code fill(void *unused)
{
	(void)unused;
	gemp_code code = GEMP_OK;
	gemp_record_table table;
	gemp_record_table_init(&table, WORDS, KEY_WORDS, SIZE_MAX);
	for (uint32_t key = 0; key < 300; key++) {
		uint32_t record[WORDS], *found;
		bool added;
		size_t count = table.count;
		make_record(key, 1, record);
		code = gemp_record_table_add(&table, record, hash_of(key, UINT64_MAX), &found, &added);
		if (code != GEMP_OK) {
			assert_int_equal(table.count, count);
			goto done;
		}
	}
done:
	gemp_record_table_free(&table);
	return code;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(fill, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_once_whatever_the_hash),
		cmocka_unit_test(keeping_some),
		cmocka_unit_test(a_budget_is_kept),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
