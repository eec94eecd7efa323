/* Tests that a key table numbers byte strings in the order of their first appearance. */
#include "harness/harness.h"

#include "core/status.h"
#include "query/rows/accumulator.h"

#include <stdio.h>
#include <string.h>

static size_t add(gemp_key_table *table, const char *key, size_t size, uint64_t hash, bool expected)
{
	size_t index;
	bool added;
	assert_ok(gemp_key_table_add(table, key, size, hash, &index, &added));
	assert_int_equal(added, expected);
	return index;
}

/* hash_mask leaves few different hashes, so keys collide. */
static void check(uint64_t hash_mask)
{
	enum { KEYS = 3000 };
	gemp_key_table table = { 0 };
	char key[32];
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < KEYS; i++) {
			size_t size = i == 0 ? 0 : (size_t)snprintf(key, sizeof key, "%zu%.*s", i, (int)(i % 9), "abcdefghi");
			assert_int_equal(add(&table, key, size, gemp_key_hash(key, size) & hash_mask, !again), i);
		}
	assert_int_equal(table.count, KEYS);
	for (size_t i = 1; i < KEYS; i++) {
		size_t size, expected = (size_t)snprintf(key, sizeof key, "%zu%.*s", i, (int)(i % 9), "abcdefghi");
		const char *bytes = gemp_key_bytes(&table, i, &size);
		assert_int_equal(size, expected);
		assert_memory_equal(bytes, key, size);
	}
	assert_true(gemp_key_table_memory(&table) > KEYS * 4);
	gemp_key_table_free(&table);
}

static void keys_get_numbers(void **state)
{
	(void)state;
	check(UINT64_MAX);
	check(UINT64_C(7) << 40);
	check(0xff);
}

static void zero_bytes_are_bytes(void **state)
{
	(void)state;
	gemp_key_table table = { 0 };
	assert_int_equal(add(&table, "", 0, 1, true), 0);
	assert_int_equal(add(&table, "\0", 1, 1, true), 1);
	assert_int_equal(add(&table, "\0\0", 2, 1, true), 2);
	assert_int_equal(add(&table, "\0", 1, 1, false), 1);
	gemp_key_table_free(&table);
}

static gemp_code fill(void *unused)
{
	(void)unused;
	gemp_code code = GEMP_OK;
	gemp_key_table table = { 0 };
	for (uint64_t i = 0; i < 100 && code == GEMP_OK; i++) {
		size_t index, before = table.count;
		bool added;
		code = gemp_key_table_add(&table, &i, sizeof i, gemp_key_hash(&i, sizeof i), &index, &added);
		assert_int_equal(table.count, before + (code == GEMP_OK));
	}
	gemp_key_table_free(&table);
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
		cmocka_unit_test(keys_get_numbers),
		cmocka_unit_test(zero_bytes_are_bytes),
		cmocka_unit_test(out_of_memory),
	};
	return test_main(tests);
}
