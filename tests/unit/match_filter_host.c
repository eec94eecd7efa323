/* Tests conditions on one vertex on the threads of the host, on more rows than one thread takes at a time. */
#include "harness/harness.h"

#include "core/bitset.h"
#include "core/random.h"
#include "core/threads.h"
#include "graph/column.h"
#include "match/filter/filter_host.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 100000, NAMES = 300, WORDS = (ROWS + 31) / 32 };

static gemp_column columns[2]; /* names, which repeat; numbers, of which number r is r */
static const gemp_column *pointers[] = { &columns[0], &columns[1] };
static const gemp_filter_rows rows = { .rows = ROWS, .columns = pointers };
static const gemp_filter_view view = { .count = ROWS, .rows = &rows };
static uint32_t bits[WORDS], among[WORDS];

static int setup(void **state)
{
	(void)state;
	assert_ok(gemp_column_init(&columns[0], "name", GEMP_STRING));
	assert_ok(gemp_column_init(&columns[1], "number", GEMP_INTEGER));
	for (size_t r = 0; r < ROWS; r++) {
		char text[32];
		size_t size = (size_t)snprintf(text, sizeof text, "name %zu", r % NAMES);
		assert_ok(gemp_column_add(&columns[0], &(gemp_value){ .type = GEMP_STRING, .string = { text, size } }));
		assert_ok(gemp_column_add(&columns[1], &(gemp_value){ .type = GEMP_INTEGER, .integer = (int64_t)r }));
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	gemp_column_free(&columns[0]);
	gemp_column_free(&columns[1]);
	gemp_threads_limit(0);
	assert_int_equal(gemp_memory_blocks(), 0);
	return 0;
}

/* Only rows of `among` may have a bit. `among` and `bits` may be one bitmap. */
static void names_and_numbers(void **state)
{
	(void)state;
	uint64_t random = test_seed();
	gemp_expr name = { .kind = GEMP_ATTRIBUTE, .attribute = 0 }, number = { .kind = GEMP_ATTRIBUTE, .attribute = 1 };
	gemp_expr jack = { .kind = GEMP_LITERAL, .value = { .type = GEMP_STRING, .string = { "name 7", 6 } } };
	gemp_expr bound = { .kind = GEMP_LITERAL, .value = { .type = GEMP_INTEGER, .integer = 70000 } };
	const gemp_expr equal = { .kind = GEMP_EQ, .count = 2, .children = (gemp_expr *[]){ &name, &jack } };
	const gemp_expr less = { .kind = GEMP_LT, .count = 2, .children = (gemp_expr *[]){ &number, &bound } };
	const gemp_expr *const both[] = { &equal, &less };
	for (int i = 0; i < 3; i++) {
		gemp_threads_limit((unsigned[]){ 1, 2, 7 }[i]);
		for (size_t w = 0; w < WORDS; w++)
			among[w] = bits[w] = (uint32_t)gemp_random(&random);
		assert_ok(gemp_filter_on_host(&view, both, 2, i ? bits : among, bits));
		for (size_t r = 0; r < ROWS; r++)
			assert_int_equal(gemp_bits32_test(bits, r), gemp_bits32_test(among, r) && r % NAMES == 7 && r < 70000);
	}
}

/* 1 / (number - 40000) fails in one row, unless a condition drops that row first. The message names the place. */
static void one_row_fails(void **state)
{
	(void)state;
	gemp_expr number = { .kind = GEMP_ATTRIBUTE, .attribute = 1 };
	gemp_expr one = { .kind = GEMP_LITERAL, .value = { .type = GEMP_INTEGER, .integer = 1 } };
	gemp_expr bound = { .kind = GEMP_LITERAL, .value = { .type = GEMP_INTEGER, .integer = 40000 } };
	gemp_expr minus = { .kind = GEMP_SUBTRACT, .count = 2, .children = (gemp_expr *[]){ &number, &bound } };
	gemp_expr quotient = { .kind = GEMP_DIVIDE, .count = 2, .children = (gemp_expr *[]){ &one, &minus } };
	const gemp_expr equal = { .kind = GEMP_EQ, .count = 2, .children = (gemp_expr *[]){ &quotient, &one } };
	const gemp_expr above = { .kind = GEMP_GT, .count = 2, .children = (gemp_expr *[]){ &number, &bound } };
	const gemp_expr *const exprs[] = { &above, &equal };
	gemp_threads_limit(4);
	assert_code(gemp_filter_on_host(&view, &exprs[1], 1, NULL, bits), GEMP_EDATA);
	assert_message("divides by zero");
	assert_ok(gemp_filter_on_host(&view, exprs, 2, NULL, bits));
	assert_int_equal(gemp_bits32_count(bits, WORDS), 1);
	assert_true(gemp_bits32_test(bits, 40001));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_and_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(one_row_fails, setup, teardown),
	};
	return test_main(tests);
}
