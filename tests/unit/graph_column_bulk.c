/* Compares operations on whole columns with operations on single values. */
#include "harness/harness.h"

#include "core/random.h"
#include "graph/column.h"
#include "graph/column_bulk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 70000, TEXT = 8 };

typedef struct values {
	size_t count;
	gemp_value value[MOST];
	char text[MOST][TEXT];
} values;

static values a, b, expected;

static gemp_value draw(gemp_type type, char *text, uint64_t nulls, uint64_t *random)
{
	gemp_value value = { .type = type, .null = gemp_random_below(random, 8) < nulls };
	if (value.null)
		return value;
	if (type == GEMP_INTEGER)
		value.integer = (int64_t)gemp_random_below(random, 100) - 50;
	else if (type == GEMP_FLOAT)
		value.real = gemp_random_unit(random);
	else if (type == GEMP_BOOLEAN)
		value.truth = gemp_random_below(random, 2);
	else {
		snprintf(text, TEXT, "%.*s", (int)gemp_random_below(random, TEXT), "abcdefg");
		value.string.bytes = text;
		value.string.size = strlen(text);
	}
	return value;
}

static void fill(gemp_column *column, values *v, gemp_type type, size_t count, uint64_t *random)
{
	uint64_t nulls = gemp_random_below(random, 3) * 4; /* chance of NULL: none, some, all */
	assert_ok(gemp_column_init(column, "c", type));
	assert_ok(gemp_column_reserve(column, 0, 0));
	v->count = count;
	for (size_t i = 0; i < count; i++) {
		v->value[i] = draw(type, v->text[i], nulls, random);
		assert_ok(gemp_column_add(column, &v->value[i]));
	}
}

static void compare(const gemp_column *column, const values *v)
{
	bool some = false;
	assert_int_equal(column->rows, v->count);
	for (size_t i = 0; i < v->count; i++) {
		gemp_value is = gemp_column_get(column, i);
		bool comparable;
		some |= !is.null;
		assert_int_equal(is.null, v->value[i].null);
		assert_true(is.null || gemp_value_compare(&is, &v->value[i], &comparable) == 0);
	}
	assert_int_equal(gemp_column_has_value(column), some);
}

static void check(gemp_type type, size_t count, uint64_t *random)
{
	gemp_column first, second, picked;
	uint64_t *rows = malloc(2 * MOST * sizeof *rows);
	size_t more = gemp_random_below(random, 2) ? gemp_random_below(random, count + 1) : 0;
	fill(&first, &a, type, count, random);
	fill(&second, &b, type, more, random);
	expected.count = gemp_random_below(random, MOST);
	expected.count = count + more ? expected.count : 0;
	for (size_t i = 0; i < expected.count; i++) {
		rows[i] = gemp_random_below(random, count + more);
		expected.value[i] = rows[i] < count ? a.value[rows[i]] : b.value[rows[i] - count];
	}
	assert_ok(gemp_column_gather(&picked, &first, &second, rows, expected.count));
	compare(&picked, &expected);
	gemp_column_free(&picked);

	for (size_t i = 0; i < count; i++)
		rows[i] = i;
	for (size_t i = 0; i < more; i++) { /* a random choice of `more` rows in random order */
		size_t other = i + gemp_random_below(random, count - i);
		uint64_t row = rows[i];
		rows[i] = rows[other];
		rows[other] = row;
		a.value[rows[i]] = b.value[more == 1 ? 0 : i];
	}
	assert_ok(gemp_column_scatter(&first, rows, more, &second));
	compare(&first, &a);

	assert_ok(gemp_column_append(&first, &second));
	for (size_t i = 0; i < more && a.count < MOST; i++)
		a.value[a.count++] = b.value[i];
	assert_ok(gemp_column_pad(&first, first.rows + more));
	for (size_t i = 0; i < more; i++)
		a.value[a.count++] = (gemp_value){ .type = type, .null = true };
	compare(&first, &a);
	if (type == GEMP_INTEGER) {
		assert_ok(gemp_column_to_float(&first));
		assert_int_equal(first.type, GEMP_FLOAT);
		compare(&first, &a);
	}
	gemp_column_free(&first);
	gemp_column_free(&second);
	free(rows);
}

static void test_against_single_values(void **state)
{
	static const size_t counts[] = { 0, 1, 40, MOST / 3 };
	uint64_t seed = test_seed();
	(void)state;
	for (int i = 0; i < 3; i++)
		for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
			for (gemp_type type = GEMP_STRING; type <= GEMP_BOOLEAN; type++)
				check(type, counts[c], &seed);
}

static void test_one_value_for_all(void **state)
{
	gemp_column column, one;
	const uint64_t rows[] = { 2, 0 };
	(void)state;
	for (gemp_type type = GEMP_STRING; type <= GEMP_INTEGER; type++) {
		assert_ok(gemp_column_init(&column, "c", type));
		assert_ok(gemp_column_pad(&column, 3));
		assert_false(gemp_column_has_value(&column));
		assert_ok(gemp_column_init(&one, "c", type));
		assert_ok(gemp_column_add(&one, &(gemp_value){ .type = type, .string = { "xy", 2 } }));
		assert_ok(gemp_column_scatter(&column, rows, 2, &one));
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(gemp_column_get(&column, i).null, i == 1);
		gemp_column_free(&column);
		gemp_column_free(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_single_values),
		cmocka_unit_test(test_one_value_for_all),
	};
	return test_main(tests);
}
