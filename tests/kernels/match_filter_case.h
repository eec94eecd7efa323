/* Random tables and random conditions for the test of filters, and the check that the bitmap that the device computes
 * equals the result of the host's evaluation for each row. */
#ifndef GEMP_TESTS_MATCH_FILTER_CASE_H
#define GEMP_TESTS_MATCH_FILTER_CASE_H

#include "comm/comm.h"
#include "core/status.h"
#include "device/device.h"
#include "graph/column.h"
#include "match/filter/filter.h"
#include "match/filter/filter_device.h"
#include "match/filter/filter_host.h"
#include "partition/runtime.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/expr.h"
#include "pattern/model/pattern.h"

#include "harness/harness.h"
#include "harness/pattern_oracle.h"
#include "harness/runtime.h"

#include "core/memory.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>

/* There are two columns of each type, so that a condition can also compare two columns of the same type. */
enum { COLUMNS = 8, LABEL_SETS = 5, MAX_ROWS = 300 };

static gemp_comm comm;
static gemp_runtime *context;
static gemp_filter *filter;
static uint64_t seed;

/* A table of random rows. */
typedef struct table {
	gemp_filter_rows rows;
	gemp_column columns[COLUMNS], key;
	const gemp_column *pointers[COLUMNS];
	uint32_t label_set[MAX_ROWS];
	size_t row; /* the row that the scope evaluates */
} table;

static size_t below(size_t bound)
{
	return (size_t)gemp_random_below(&seed, bound);
}

/* Draws from few values, so that equal values are frequent. Strings are prefixes of one another or have bytes above
 * 127; some integers are not exact as doubles. */
static gemp_value random_value(gemp_type type)
{
	static const char *const strings[] = { "",
		                                   "a",
		                                   "ab",
		                                   "abc",
		                                   "b",
		                                   "ba",
		                                   "aab",
		                                   "\xc3\xa9",
		                                   "\xc3\xa9"
		                                   "a",
		                                   "Jack" };
	static const int64_t integers[] = { 0, 1, -1, 2, 3, 9007199254740992, 9007199254740993, INT64_MAX, INT64_MIN };
	static const double floats[] = { 0, -0.0, 1, -1, 2.5, 3, 9007199254740992.0, 0x1p63, -0x1p63, 1e300, 1e-300 };
	gemp_value value = { .type = type };
	switch (type) {
	case GEMP_STRING:
		value.string.bytes = strings[below(sizeof strings / sizeof *strings)];
		value.string.size = strlen(value.string.bytes);
		break;
	case GEMP_INTEGER: value.integer = integers[below(sizeof integers / sizeof *integers)]; break;
	case GEMP_FLOAT: value.real = floats[below(sizeof floats / sizeof *floats)]; break;
	case GEMP_BOOLEAN: value.truth = below(2); break;
	case GEMP_LIST: break;
	}
	return value;
}

static void fill_column(gemp_column *column, gemp_type type, size_t rows, size_t null_in)
{
	assert_ok(gemp_column_init(column, "column", type));
	for (size_t i = 0; i < rows; i++) {
		gemp_value value = random_value(type);
		value.null = null_in && below(null_in) == 0;
		assert_ok(gemp_column_add(column, &value));
	}
}

static gemp_value value_outside_columns(void *self, const gemp_expr *expr, size_t row);

/* Fills the column with strings that all differ. */
static void fill_numbers(gemp_column *column, size_t rows)
{
	char text[32];
	gemp_column_free(column);
	assert_ok(gemp_column_init(column, "column", GEMP_STRING));
	for (size_t i = 0; i < rows; i++) {
		size_t size = (size_t)snprintf(text, sizeof text, "a%zu", i);
		assert_ok(gemp_column_add(column, &(gemp_value){ .type = GEMP_STRING, .string = { text, size } }));
	}
}

static table *new_table(size_t rows)
{
	static uint64_t tag;
	table *t = gemp_calloc(1, sizeof *t);
	assert_non_null(t);
	for (size_t c = 0; c < COLUMNS; c++) {
		fill_column(&t->columns[c], (gemp_type)(c % 4), rows, below(3) ? 4 : 0);
		t->pointers[c] = &t->columns[c];
	}
	fill_column(&t->key, below(2) ? GEMP_STRING : GEMP_INTEGER, rows, 0);
	for (size_t i = 0; i < rows; i++)
		t->label_set[i] = (uint32_t)below(LABEL_SETS);
	t->rows = (gemp_filter_rows){ .tag = ++tag,
		                          .rows = rows,
		                          .columns = t->pointers,
		                          .key = &t->key,
		                          .label_set = t->label_set,
		                          .label_set_count = LABEL_SETS,
		                          .value = value_outside_columns };
	return t;
}

static void free_table(table *t)
{
	for (size_t c = 0; c < COLUMNS; c++)
		gemp_column_free(&t->columns[c]);
	gemp_column_free(&t->key);
	gemp_free(t);
}

static gemp_expr *new_expr(gemp_expr_kind kind, size_t children)
{
	gemp_expr *expr = gemp_calloc(1, sizeof *expr);
	assert_non_null(expr);
	expr->kind = kind;
	expr->count = children;
	assert_ok(GEMP_NEW(expr->children, children));
	return expr;
}

static void free_expr(gemp_expr *expr)
{
	for (size_t i = 0; i < expr->count; i++)
		free_expr(expr->children[i]);
	gemp_free(expr->children);
	gemp_free(expr->label_sets);
	gemp_free(expr);
}

static gemp_expr *random_literal(void)
{
	gemp_expr *expr = new_expr(GEMP_LITERAL, 0);
	expr->value = random_value((gemp_type)below(4));
	expr->value.null = below(12) == 0;
	return expr;
}

/* The argument is a string column, so the function never fails. */
static gemp_expr *random_function(void)
{
	static const gemp_expr_kind kinds[] = { GEMP_SIZE, GEMP_LOWER, GEMP_UPPER };
	gemp_expr *expr = new_expr(kinds[below(3)], 1);
	expr->children[0] = new_expr(GEMP_ATTRIBUTE, 0);
	expr->children[0]->attribute = below(2) ? 4 : 0;
	return expr;
}

static gemp_expr *random_operand(void)
{
	static const gemp_expr_kind kinds[] = { GEMP_ATTRIBUTE, GEMP_ATTRIBUTE, GEMP_ATTRIBUTE, GEMP_ATTRIBUTE,
		                                    GEMP_KEY,       GEMP_DEGREE,    GEMP_LABELS };
	if (below(3) == 0)
		return random_literal();
	if (below(6) == 0)
		return random_function();
	gemp_expr *expr = new_expr(kinds[below(sizeof kinds / sizeof *kinds)], 0);
	expr->attribute = (int)below(COLUMNS + 1) - 1;
	return expr;
}

static gemp_expr *random_list(void)
{
	gemp_expr *expr = new_expr(GEMP_IN, 1 + below(7));
	expr->children[0] = random_operand();
	for (size_t i = 1; i < expr->count; i++)
		expr->children[i] = random_literal();
	return expr;
}

static gemp_expr *random_leaf(void)
{
	static const gemp_expr_kind pairs[] = { GEMP_EQ, GEMP_NE,       GEMP_LT,          GEMP_LE,       GEMP_GT,
		                                    GEMP_GE, GEMP_CONTAINS, GEMP_STARTS_WITH, GEMP_ENDS_WITH };
	gemp_expr *expr = NULL;
	switch (below(8)) {
	case 0:
		expr = new_expr(GEMP_HAS_LABEL, 0);
		assert_ok(GEMP_NEW(expr->label_sets, LABEL_SETS));
		for (size_t i = 0; i < LABEL_SETS; i++)
			expr->label_sets[i] = below(2);
		return expr;
	case 1: return random_list();
	case 2:
		expr = new_expr(below(2) ? GEMP_IS_NULL : GEMP_IS_NOT_NULL, 1);
		expr->children[0] = random_operand();
		return expr;
	case 3:
		expr = new_expr(GEMP_ATTRIBUTE, 0);
		expr->attribute = (int)below(COLUMNS + 1) - 1;
		return expr;
	default:
		expr = new_expr(pairs[below(sizeof pairs / sizeof *pairs)], 2);
		expr->children[0] = random_operand();
		expr->children[1] = random_operand();
		return expr;
	}
}

static gemp_expr *random_condition(int depth)
{
	if (depth == 0 || below(3) == 0) {
		gemp_expr *leaf = random_leaf();
		if (below(3))
			return leaf;
		gemp_expr *not = new_expr(GEMP_NOT, 1);
		not ->children[0] = leaf;
		return not ;
	}
	gemp_expr *expr = new_expr(below(2) ? GEMP_AND : GEMP_OR, below(4));
	for (size_t i = 0; i < expr->count; i++)
		expr->children[i] = random_condition(depth - 1);
	return expr;
}

/* Gives the value of an expression that no column holds: a degree or a list of labels. */
static gemp_value value_outside_columns(void *self, const gemp_expr *expr, size_t row)
{
	static char list[32];
	(void)self;
	if (expr->kind == GEMP_DEGREE)
		return (gemp_value){ .type = GEMP_INTEGER, .null = row % 11 == 0, .integer = (int64_t)(row % 4) };
	return (gemp_value){ .type = GEMP_LIST,
		                 .string = { list, (size_t)snprintf(list, sizeof list, "[\"%zu\"]", row % 3) } };
}

static gemp_value value_of(void *self, const gemp_expr *expr)
{
	const table *t = self;
	if (expr->kind == GEMP_DEGREE || expr->kind == GEMP_LABELS)
		return value_outside_columns(NULL, expr, t->row);
	if (expr->kind == GEMP_KEY)
		return gemp_column_get(&t->key, t->row);
	if (expr->attribute < 0)
		return (gemp_value){ .null = true };
	return gemp_column_get(&t->columns[expr->attribute], t->row);
}

static uint64_t element_of(void *self, int variable, bool edge)
{
	(void)variable;
	(void)edge;
	return ((const table *)self)->row;
}

static uint32_t label_set_of(void *self, int variable)
{
	const table *t = self;
	(void)variable;
	return t->label_set[t->row];
}

static bool expected(table *t, const gemp_condition *const *conditions, size_t count)
{
	const gemp_scope scope = { t, value_of, element_of, label_set_of };
	for (size_t i = 0; i < count; i++)
		if (!expr_is_true(conditions[i]->expr, &scope))
			return false;
	return true;
}

static size_t check(table *t, const gemp_condition *const *conditions, size_t count)
{
	uint32_t bitmap[MAX_ROWS / 32 + 2];
	size_t words = (t->rows.rows + 31) / 32, set = 0;
	uint32_t among[MAX_ROWS / 32 + 1];
	for (size_t w = 0; w < words; w++)
		among[w] = (uint32_t)gemp_random(&seed) | (uint32_t)gemp_random(&seed);
	if (words && t->rows.rows % 32)
		among[words - 1] &= (UINT32_C(1) << t->rows.rows % 32) - 1;
	t->rows.among = below(2) ? among : NULL;
	memset(bitmap, 0x5a, sizeof bitmap);
	assert_ok(gemp_filter_evaluate(filter, &t->rows, conditions, count, bitmap));
	for (t->row = 0; t->row < t->rows.rows; t->row++) {
		bool bit = bitmap[t->row / 32] >> t->row % 32 & 1, right = expected(t, conditions, count);
		right &= !t->rows.among || (among[t->row / 32] >> t->row % 32 & 1);
		if (bit != right)
			fail_msg("row %zu of %zu is %d; condition of kind %d", t->row, t->rows.rows, bit,
			         (int)conditions[0]->expr->kind);
		set += bit;
	}
	if (t->rows.rows % 32)
		assert_int_equal(bitmap[words - 1] >> t->rows.rows % 32, 0);
	assert_int_equal(bitmap[words], 0x5a5a5a5a);
	t->rows.among = NULL;
	return set;
}
#endif
