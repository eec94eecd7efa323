/* Tests typed columns: values, NULL, order, printing, and failures of memory. */
#include "core/memory.h"
#include "core/random.h"
#include "core/status.h"
#include "core/text.h"
#include "graph/column.h"
#include "graph/column_bulk.h"
#include "harness/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gemp_value integer(int64_t number)
{
	return (gemp_value){ .type = GEMP_INTEGER, .integer = number };
}

static gemp_value real(double number)
{
	return (gemp_value){ .type = GEMP_FLOAT, .real = number };
}

static gemp_value truth(bool is)
{
	return (gemp_value){ .type = GEMP_BOOLEAN, .truth = is };
}

static gemp_value string(const char *text)
{
	return (gemp_value){ .type = GEMP_STRING, .string = { text, strlen(text) } };
}

static gemp_value null_of(gemp_type type)
{
	return (gemp_value){ .type = type, .null = true };
}

static bool same(gemp_value a, gemp_value b)
{
	bool comparable;
	if (a.null || b.null)
		return a.null && b.null && a.type == b.type;
	return gemp_value_compare(&a, &b, &comparable) == 0 && comparable;
}

static gemp_value random_value(gemp_type type, uint64_t *random)
{
	static const char *const words[] = { "", "a", "\xc3\xbc", "a long string of many bytes, more than any other here" };
	uint64_t number = gemp_random(random);
	if (number % 5 == 0)
		return null_of(type);
	switch (type) {
	case GEMP_INTEGER: return integer((int64_t)number);
	case GEMP_FLOAT: return real((double)number / 3);
	case GEMP_BOOLEAN: return truth(number & 1);
	case GEMP_STRING:
	case GEMP_LIST: return string(words[number % 4]);
	}
	return null_of(type);
}

enum { ROWS = 300 };

/* Values that are added, gathered, packed and unpacked stay the same. */
static void test_values_come_back(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	for (gemp_type type = GEMP_STRING; type <= GEMP_BOOLEAN; type++) {
		gemp_value given[ROWS];
		gemp_column column, picked, unpacked;
		gemp_text packed = { 0 };
		uint64_t order[2 * ROWS];
		assert_ok(gemp_column_init(&column, "c", type));
		assert_false(gemp_column_loaded(&column));
		for (size_t i = 0; i < ROWS; i++) {
			given[i] = random_value(type, &random);
			assert_ok(gemp_column_add(&column, &given[i]));
		}
		for (size_t i = 0; i < ROWS; i++)
			assert_true(same(gemp_column_get(&column, i), given[i]));
		for (size_t i = 0; i < 2 * ROWS; i++)
			order[i] = gemp_random_below(&random, ROWS);
		assert_ok(gemp_column_gather(&picked, &column, NULL, order, 2 * ROWS));
		assert_string_equal(picked.name, "c");
		for (size_t i = 0; i < 2 * ROWS; i++)
			assert_true(same(gemp_column_get(&picked, i), given[order[i]]));
		for (size_t i = 0; i < ROWS; i++)
			assert_ok(gemp_column_pack(&column, i, &packed));
		assert_ok(gemp_column_init(&unpacked, "u", type));
		const char *at = packed.data, *end = at + packed.size;
		while (at < end)
			assert_ok(gemp_column_unpack(&unpacked, &at, end));
		assert_int_equal(unpacked.rows, ROWS);
		for (size_t i = 0; i < ROWS; i++)
			assert_true(same(gemp_column_get(&unpacked, i), given[i]));
		gemp_column_free(&column);
		gemp_column_free(&picked);
		gemp_column_free(&unpacked);
		gemp_text_free(&packed);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void test_cut_pack(void **state)
{
	(void)state;
	gemp_column column;
	gemp_text packed = { 0 };
	gemp_value value = string("twelve bytes");
	assert_ok(gemp_column_init(&column, "c", GEMP_STRING));
	assert_ok(gemp_column_add(&column, &value));
	assert_ok(gemp_column_pack(&column, 0, &packed));
	for (size_t size = 0; size < packed.size; size++) {
		const char *at = packed.data;
		assert_code(gemp_column_unpack(&column, &at, packed.data + size), GEMP_EINTERNAL);
	}
	assert_int_equal(column.rows, 1);
	gemp_column_free(&column);
	gemp_text_free(&packed);
}

static void test_no_rows(void **state)
{
	(void)state;
	for (gemp_type type = GEMP_STRING; type <= GEMP_BOOLEAN; type++) {
		gemp_column column, picked;
		assert_ok(gemp_column_init(&column, "empty", type));
		assert_ok(gemp_column_reserve(&column, 0, 0));
		assert_true(gemp_column_loaded(&column));
		assert_ok(gemp_column_gather(&picked, &column, NULL, NULL, 0));
		assert_true(gemp_column_loaded(&picked));
		assert_int_equal(picked.rows, 0);
		assert_null(picked.null);
		gemp_column_free(&column);
		gemp_column_free(&picked);
	}
	gemp_column_free(NULL);
}

static int compare(gemp_value a, gemp_value b)
{
	bool comparable;
	int there = gemp_value_compare(&a, &b, &comparable), back = gemp_value_compare(&b, &a, &comparable);
	assert_true(comparable);
	assert_true((there > 0) == (back < 0) && (there < 0) == (back > 0));
	return (there > 0) - (there < 0);
}

static void test_order_of_values(void **state)
{
	(void)state;
	assert_int_equal(compare(integer(1), real(1.0)), 0);
	assert_int_equal(compare(integer(1), real(1.5)), -1);
	assert_int_equal(compare(integer(-1), real(-1.5)), 1);
	assert_int_equal(compare(integer(INT64_MAX), real(0x1p63)), -1);
	assert_int_equal(compare(integer(INT64_MIN), real(-0x1p63)), 0);
	assert_int_equal(compare(integer((INT64_C(1) << 53) + 1), real(0x1p53)), 1);
	assert_int_equal(compare(integer(0), real((double)INFINITY)), -1);
	assert_int_equal(compare(integer(INT64_MIN), integer(INT64_MAX)), -1);
	assert_int_equal(compare(truth(false), truth(true)), -1);
	assert_int_equal(compare(string("Z"), string("a")), -1);
	assert_int_equal(compare(string("a"), string("ab")), -1);
	assert_int_equal(compare(string(""), string("")), 0);
	assert_int_equal(compare(string("\xc3\xbc"), string("z")), 1);
	gemp_value one = integer(1), text = string("1"), yes = truth(true);
	bool comparable = true;
	gemp_value_compare(&one, &text, &comparable);
	assert_false(comparable);
	gemp_value_compare(&yes, &one, &comparable);
	assert_false(comparable);
	assert_true(gemp_value_compare_keys(&one, &text) < 0 && gemp_value_compare_keys(&text, &one) > 0);
	assert_int_equal(gemp_value_compare_keys(&text, &text), 0);
}

static void test_nulls_sort_first(void **state)
{
	(void)state;
	gemp_column column;
	gemp_value values[3] = { integer(INT64_MIN), null_of(GEMP_INTEGER), null_of(GEMP_INTEGER) };
	assert_ok(gemp_column_init(&column, "c", GEMP_INTEGER));
	for (int i = 0; i < 3; i++)
		assert_ok(gemp_column_add(&column, &values[i]));
	assert_true(gemp_column_compare(&column, 1, 0) < 0 && gemp_column_compare(&column, 0, 1) > 0);
	assert_int_equal(gemp_column_compare(&column, 1, 2), 0);
	gemp_column_free(&column);
}

static void shown(gemp_value value, const char *expected)
{
	gemp_text text = { 0 };
	gemp_text_add(&text, "", 0);
	gemp_value_print(&value, &text);
	assert_string_equal(text.data, expected);
	gemp_text_free(&text);
}

static void test_print(void **state)
{
	(void)state;
	shown(integer(INT64_MIN), "-9223372036854775808");
	shown(real(3), "3.0");
	shown(real(0.1), "0.1");
	shown(real(1e300), "1e+300");
	shown(real(5e-324), "4.94065645841247e-324");
	shown(real(-0.0), "-0.0");
	shown(truth(true), "true");
	shown(string("a\tb"), "a\tb");
	shown(null_of(GEMP_FLOAT), "");
	uint64_t random = test_seed();
	for (int i = 0; i < 1000; i++) {
		gemp_text text = { 0 };
		gemp_value value = real((double)(int64_t)gemp_random(&random) * gemp_random_unit(&random));
		gemp_value_print(&value, &text);
		assert_true(strtod(text.data, NULL) == value.real);
		gemp_text_free(&text);
	}
}

static gemp_code fill_table(void *argument)
{
	(void)argument;
	gemp_code code = GEMP_OK;
	gemp_table table = { 0 };
	gemp_column *column = NULL, picked = { 0 };
	uint64_t order[2] = { 1, 0 };
	GEMP_TRY_DONE(gemp_table_add(&table, "number", GEMP_INTEGER, NULL));
	GEMP_TRY_DONE(gemp_table_add(&table, "word", GEMP_STRING, &column));
	for (int i = 0; i < 20; i++) {
		gemp_value value = i == 1 ? null_of(GEMP_STRING) : string("some words");
		GEMP_TRY_DONE(gemp_column_add(column, &value));
	}
	GEMP_TRY_DONE(gemp_column_gather(&picked, column, NULL, order, 2));
	GEMP_CHECK(gemp_table_find(&table, "word") == column && !gemp_table_find(&table, "words"));
done:
	gemp_column_free(&picked);
	gemp_table_free(&table);
	return code;
}

static void test_without_memory(void **state)
{
	(void)state;
	assert_survives_no_memory(fill_table, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values_come_back), cmocka_unit_test(test_cut_pack),
		cmocka_unit_test(test_no_rows),          cmocka_unit_test(test_order_of_values),
		cmocka_unit_test(test_nulls_sort_first), cmocka_unit_test(test_print),
		cmocka_unit_test(test_without_memory),
	};
	return test_main(tests);
}
