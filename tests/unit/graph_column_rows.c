/* Compares gemp_column_append_rows and gemp_column_extend with additions of single values. Strings have 0 to 40 bytes,
 * so that some fit into a block and some do not. */
#include "harness/harness.h"

#include "core/random.h"
#include "core/types.h"
#include "graph/column_rows.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, MOST = 30000, LONGEST = 40 };

static gemp_value draw(gemp_type type, char *text, bool nulls, uint64_t *random)
{
	gemp_value value = { .type = type, .null = nulls && gemp_random_below(random, 5) == 0 };
	if (value.null)
		return value;
	switch (type) {
	case GEMP_INTEGER: value.integer = (int64_t)gemp_random(random); break;
	case GEMP_FLOAT: value.real = gemp_random_unit(random); break;
	case GEMP_BOOLEAN: value.truth = gemp_random_below(random, 2); break;
	case GEMP_STRING:
	case GEMP_LIST:
		value.string = (gemp_string){ text, gemp_random_below(random, LONGEST + 1) };
		for (size_t i = 0; i < value.string.size; i++)
			text[i] = (char)gemp_random_below(random, 256);
	}
	return value;
}

static void fill(gemp_column *column, gemp_type type, size_t rows, bool nulls, uint64_t *random)
{
	char text[LONGEST];
	assert_ok(gemp_column_init(column, "c", type));
	for (size_t i = 0; i < rows; i++) {
		const gemp_value value = draw(type, text, nulls, random);
		assert_ok(gemp_column_add(column, &value));
	}
}

/* Columns with the same content have the same bytes, and the same NULL array or none. */
static void compare(const gemp_column *is, const gemp_column *expected)
{
	assert_int_equal(is->rows, expected->rows);
	assert_int_equal(!is->null, !expected->null);
	for (size_t row = 0; row < is->rows; row++) {
		const gemp_value a = gemp_column_get(is, row), b = gemp_column_get(expected, row);
		assert_int_equal(a.null, b.null);
		if (gemp_is_text(is->type)) {
			assert_int_equal(a.string.size, b.string.size);
			assert_memory_equal(a.string.bytes, b.string.bytes, a.string.size);
		} else if (is->type == GEMP_BOOLEAN) {
			assert_int_equal(a.truth, b.truth);
		} else {
			assert_memory_equal(&is->integers[is->type == GEMP_INTEGER ? row : 0],
			                    &expected->integers[is->type == GEMP_INTEGER ? row : 0],
			                    is->type == GEMP_INTEGER ? sizeof(int64_t) : 0);
			assert_true(is->type != GEMP_FLOAT || a.null || a.real == b.real);
		}
	}
}

/* Appends one block of rows of `from` to both columns. */
static void add_block(gemp_column *is, gemp_column *expected, const gemp_column *from, bool none, uint64_t *random)
{
	const size_t count = gemp_random_below(random, 3) ? gemp_random_below(random, MOST) : 0;
	uint32_t *rows = malloc((count + 1) * sizeof *rows);
	for (size_t i = 0; i < count; i++) {
		const bool missing = !from->rows || (none && gemp_random_below(random, 9) == 0);
		rows[i] = missing ? GEMP_NO_ROW : (uint32_t)gemp_random_below(random, from->rows);
		const gemp_value value = missing ? (gemp_value){ .type = from->type, .null = true }
		                                 : gemp_column_get(from, rows[i]);
		assert_ok(gemp_column_add(expected, &value));
	}
	assert_ok(gemp_column_append_rows(is, from, rows, count));
	free(rows);
}

static void check(gemp_type type, uint64_t *random)
{
	gemp_column from[BLOCKS], is, expected, twice;
	assert_ok(gemp_column_init(&is, "c", type));
	assert_ok(gemp_column_init(&expected, "c", type));
	assert_ok(gemp_column_init(&twice, "c", type));
	for (size_t b = 0; b < BLOCKS; b++) {
		const bool empty = gemp_random_below(random, 6) == 0;
		fill(&from[b], type, empty ? 0 : 1 + gemp_random_below(random, 900), gemp_random_below(random, 2), random);
		add_block(&is, &expected, &from[b], gemp_random_below(random, 2), random);
		compare(&is, &expected);
	}
	assert_ok(gemp_column_extend(&twice, &is));
	compare(&twice, &expected);
	for (size_t row = 0; row < expected.rows && row < MOST; row++) {
		const gemp_value value = gemp_column_get(&is, row);
		assert_ok(gemp_column_add(&twice, &value));
	}
	is.rows = gemp_min(is.rows, (size_t)MOST);
	assert_ok(gemp_column_extend(&expected, &is));
	compare(&twice, &expected);
	for (size_t b = 0; b < BLOCKS; b++)
		gemp_column_free(&from[b]);
	gemp_column_free(&is);
	gemp_column_free(&expected);
	gemp_column_free(&twice);
}

static void appends_rows(void **state)
{
	static const gemp_type types[] = { GEMP_INTEGER, GEMP_FLOAT, GEMP_BOOLEAN, GEMP_STRING, GEMP_LIST };
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		print_message("seed %d\n", (int)seed);
		check(types[seed % 5], &random);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(appends_rows) };
	return test_main(tests);
}
