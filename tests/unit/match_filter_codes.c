/* Tests columns of strings as dictionaries: which columns are coded, and that codes stand for the column's values. */
#include "core/memory.h"
#include "harness/harness.h"

#include "core/random.h"
#include "core/status.h"
#include "graph/column.h"
#include "match/filter/filter_device.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 60000 };

/* Makes a column of `distinct` random strings; some are short, and some differ only in the middle. If nulls is not 0,
 * one value in `nulls` is NULL. */
static gemp_column make_column(size_t rows, size_t distinct, size_t nulls, uint64_t seed)
{
	gemp_column column;
	static const char *const formats[] = { "%zu", "value %zu", "the same before %zu and after that" };
	char text[64];
	assert_ok(gemp_column_init(&column, "text", GEMP_STRING));
	assert_ok(gemp_column_reserve(&column, 0, 0));
	for (size_t row = 0; row < rows; row++) {
		size_t which = distinct < rows ? (size_t)gemp_random_below(&seed, distinct) : row;
		gemp_value value = { .type = GEMP_STRING, .null = nulls && gemp_random_below(&seed, nulls) == 0 };
		value.string.bytes = text;
		value.string.size = which ? (size_t)snprintf(text, sizeof text, formats[which % 3], which) : 0;
		assert_ok(gemp_column_add(&column, &value));
	}
	return column;
}

static bool same(gemp_value a, gemp_value b)
{
	if (a.null || b.null)
		return a.null && b.null;
	return a.string.size == b.string.size &&
	       (a.string.size == 0 || memcmp(a.string.bytes, b.string.bytes, a.string.size) == 0);
}

static void check(size_t rows, size_t distinct, size_t nulls, bool eager, bool coded)
{
	gemp_column column = make_column(rows, distinct, nulls, rows + distinct);
	gemp_filter_codes codes;
	print_message("%zu rows of %zu strings, NULL in %zu, %s\n", rows, distinct, nulls, eager ? "eager" : "not eager");
	assert_ok(gemp_filter_codes_new(&codes, &column, eager));
	assert_int_equal(codes.codes != NULL, coded);
	for (size_t row = 0; coded && row < rows; row++) {
		assert_true(codes.codes[row] < codes.values.rows);
		assert_true(same(gemp_column_get(&column, row), gemp_column_get(&codes.values, codes.codes[row])));
	}
	for (size_t i = 1; coded && i < codes.values.rows && i < 100; i++)
		for (size_t j = 0; j < i; j++)
			assert_false(same(gemp_column_get(&codes.values, i), gemp_column_get(&codes.values, j)));
	gemp_filter_codes_free(&codes);
	gemp_column_free(&column);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void columns_with_repeated_strings_are_coded(void **state)
{
	(void)state;
	check(ROWS, 1, 0, false, true);
	check(ROWS, 90, 5, false, true);
	check(ROWS, 3000, 0, false, true);
	check(ROWS, ROWS / 4, 0, false, true);
	check(ROWS, ROWS, 0, false, false); /* all values differ */
	check(ROWS, ROWS, 0, true, false);
	check(ROWS, ROWS, 3, true, false);           /* all values except NULL differ */
	check(20 * ROWS, 5 * ROWS, 0, false, false); /* four rows for each value: a sample has few values twice */
	check(20 * ROWS, 5 * ROWS, 0, true, true);
	check(0, 1, 0, true, false);
	check(1, 1, 0, true, false);
	check(2, 1, 0, true, true);
	check(2, 1, 1, true, true); /* only NULL */
}

static gemp_code code_once(void *column)
{
	gemp_filter_codes codes;
	gemp_code code = gemp_filter_codes_new(&codes, column, false);
	gemp_filter_codes_free(&codes);
	return code;
}

static void without_memory(void **state)
{
	(void)state;
	gemp_column column = make_column(500, 100, 4, 1);
	size_t blocks = gemp_memory_blocks();
	for (long k = 0; k < 100; k++) {
		gemp_memory_fail_after(k);
		gemp_code code = code_once(&column);
		gemp_memory_fail_after(-1);
		assert_int_equal(gemp_memory_blocks(), blocks);
		assert_true(code == GEMP_OK || code == GEMP_ENOMEM);
		assert_true(k > 0 || code == GEMP_ENOMEM);
	}
	assert_ok(code_once(&column));
	gemp_column_free(&column);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_with_repeated_strings_are_coded),
		cmocka_unit_test(without_memory),
	};
	return test_main(tests);
}
