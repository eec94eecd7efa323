#include "match/filter/row_test.h"

#include <string.h>

enum { BLOCK = 1024 };

/* The values are ordered so that AND is the minimum and OR the maximum. */
typedef uint8_t truth;
enum { NO = 0, UNKNOWN = 1, YES = 2 };

typedef struct block {
	const gemp_row_view *view;
	size_t first, count;
	const uint8_t *wanted; /* [count]: 0 if the row's outcome does not matter */
	gemp_arena *scratch;
	gemp_code *code; /* code of the first failure; after a failure the outcomes have no meaning */
} block;

/* One side of a comparison: a literal or a column. */
typedef struct comparand {
	bool literal;
	gemp_value value;       /* if literal */
	gemp_row_source source; /* if not literal */
} comparand;

static bool is_comparison(gemp_expr_kind kind)
{
	return kind == GEMP_EQ || kind == GEMP_NE || kind == GEMP_LT || kind == GEMP_LE || kind == GEMP_GT ||
	       kind == GEMP_GE;
}

/* Returns false if the value lies in no column. The condition must then be evaluated row by row. */
static bool find_comparand(const gemp_row_view *view, const gemp_expr *expr, comparand *out)
{
	*out = (comparand){ .literal = expr->kind == GEMP_LITERAL, .value = expr->value };
	return out->literal || view->source(view->context, expr, &out->source);
}

static gemp_type type_of(const comparand *side)
{
	return side->literal ? side->value.type : side->source.column->type;
}

/* True if the side is NULL in all rows. Such a side may have no type, which comparisons need. */
static bool always_null(const comparand *side)
{
	return side->literal ? side->value.null : !side->source.column;
}

/* The value of a row. If rows share elements, index[row] is the element of the row. */
static gemp_value value_of(const comparand *side, size_t row)
{
	if (side->literal)
		return side->value;
	return gemp_column_get(side->source.column, side->source.index ? side->source.index[row] : row);
}

/* ROW BY ROW */

/* Tests one row. After the first failure nothing is evaluated, since outcomes have no meaning then. */
static bool is_true(const block *block, const gemp_expr *expr, size_t row)
{
	const gemp_row_view *view = block->view;
	bool truth = false;
	view->at(view->context, row);
	gemp_arena_reset(block->scratch);
	if (*block->code == GEMP_OK)
		*block->code = gemp_expr_test(expr, &view->scope, block->scratch, &truth);
	return truth;
}

/* Three-valued logic needs two evaluations: a condition is false if its negation is true, and otherwise unknown. */
static void test_each(const block *block, const gemp_expr *expr, truth *out)
{
	gemp_expr *child = (gemp_expr *)(uintptr_t)expr;
	const gemp_expr not = { .kind = GEMP_NOT, .count = 1, .children = &child };
	for (size_t i = 0; i < block->count; i++) {
		size_t row = block->first + i;
		out[i] = UNKNOWN;
		if (block->wanted[i])
			out[i] = is_true(block, expr, row) ? YES : is_true(block, &not, row) ? NO : UNKNOWN;
	}
}

/* COMPARISONS */

/* The outcome of a comparison for each order of its sides: of[0] less, of[1] equal, of[2] greater. */
typedef struct outcomes {
	truth of[3];
} outcomes;

/* With a table of three outcomes, the loops over rows have no branch on the kind of comparison. */
static outcomes outcomes_of(gemp_expr_kind kind)
{
	bool less = kind == GEMP_LT || kind == GEMP_LE || kind == GEMP_NE;
	bool equal = kind == GEMP_EQ || kind == GEMP_LE || kind == GEMP_GE;
	bool greater = kind == GEMP_GT || kind == GEMP_GE || kind == GEMP_NE;
	return (outcomes){ { less ? YES : NO, equal ? YES : NO, greater ? YES : NO } };
}

/* Values of different kinds are not equal, and their order is unknown. */
static void compare_each(const block *block, gemp_expr_kind kind, const comparand *a, const comparand *b, truth *out)
{
	outcomes outcomes = outcomes_of(kind);
	truth otherwise = kind == GEMP_EQ ? NO : kind == GEMP_NE ? YES : UNKNOWN;
	for (size_t i = 0; i < block->count; i++) {
		gemp_value left = value_of(a, block->first + i), right = value_of(b, block->first + i);
		bool comparable;
		if (left.null || right.null) {
			out[i] = UNKNOWN;
			continue;
		}
		int order = gemp_value_compare(&left, &right, &comparable);
		out[i] = comparable ? outcomes.of[(order > 0) - (order < 0) + 1] : otherwise;
	}
}

/* out[i] becomes YES if the side has a value in row i, and UNKNOWN if it is NULL there. */
static void find_known(const block *block, const comparand *side, truth *out)
{
	const uint8_t *null = side->literal ? NULL : side->source.column->null;
	const uint32_t *place = side->source.index;
	memset(out, YES, block->count);
	if (null)
		for (size_t i = 0; i < block->count; i++)
			out[i] = null[place ? place[block->first + i] : block->first + i] ? UNKNOWN : YES;
}

/* A number of either type has eight bytes, so loops copy both types alike. */
typedef union number {
	int64_t integer;
	double real;
} number;
_Static_assert(sizeof(number) == sizeof(int64_t) && sizeof(number) == sizeof(double), "numbers are copied as bytes");

/* Loads a block of numbers of the side's type: gathered by index, copied from consecutive rows, or repeated for a
 * literal. */
static void load_numbers(const block *block, const comparand *side, number *out)
{
	const uint32_t *place = side->source.index;
	const gemp_column *column = side->source.column;
	if (side->literal) {
		for (size_t i = 0; i < block->count; i++)
			if (side->value.type == GEMP_INTEGER)
				out[i].integer = side->value.integer;
			else
				out[i].real = side->value.real;
		return;
	}
	const char *from = column->type == GEMP_INTEGER ? (const char *)column->integers : (const char *)column->floats;
	for (size_t i = 0; place && i < block->count; i++)
		memcpy(&out[i], from + place[block->first + i] * sizeof *out, sizeof *out);
	if (!place)
		memcpy(out, from + block->first * sizeof *out, block->count * sizeof *out);
}

/* A comparison is unknown if either side is NULL. */
static void mark_unknown(const truth *a, const truth *b, truth *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = a[i] == YES && b[i] == YES ? out[i] : UNKNOWN;
}

/* Two sides of one number type are compared by plain loops over arrays. */
static void compare_alike(const block *block, gemp_expr_kind kind, const comparand *a, const comparand *b, truth *out)
{
	outcomes outcomes = outcomes_of(kind);
	truth known[2][BLOCK];
	number left[BLOCK], right[BLOCK];
	load_numbers(block, a, left);
	load_numbers(block, b, right);
	for (size_t i = 0; type_of(a) == GEMP_INTEGER && i < block->count; i++)
		out[i] = outcomes.of[(left[i].integer > right[i].integer) - (left[i].integer < right[i].integer) + 1];
	for (size_t i = 0; type_of(a) == GEMP_FLOAT && i < block->count; i++)
		out[i] = outcomes.of[(left[i].real > right[i].real) - (left[i].real < right[i].real) + 1];
	find_known(block, a, known[0]);
	find_known(block, b, known[1]);
	mark_unknown(known[0], known[1], out, block->count);
}

/* If a side is neither a column nor a literal, the comparison is evaluated row by row. */
static void compare(const block *block, const gemp_expr *expr, truth *out)
{
	comparand a, b;
	if (!find_comparand(block->view, expr->children[0], &a) || !find_comparand(block->view, expr->children[1], &b)) {
		test_each(block, expr, out);
		return;
	}
	if (always_null(&a) || always_null(&b))
		memset(out, UNKNOWN, block->count);
	else if (type_of(&a) == type_of(&b) && (type_of(&a) == GEMP_INTEGER || type_of(&a) == GEMP_FLOAT))
		compare_alike(block, expr->kind, &a, &b, out);
	else
		compare_each(block, expr->kind, &a, &b, out);
}

/* IS NULL is never unknown. */
static void test_null(const block *block, const gemp_expr *expr, truth *out)
{
	comparand side;
	truth null = expr->kind == GEMP_IS_NULL ? YES : NO;
	if (!find_comparand(block->view, expr->children[0], &side)) {
		test_each(block, expr, out);
		return;
	}
	if (always_null(&side)) {
		memset(out, null, block->count);
		return;
	}
	find_known(block, &side, out);
	for (size_t i = 0; i < block->count; i++)
		out[i] = out[i] == UNKNOWN ? null : YES - null;
}

/* TREES */

static void test(const block *block, const gemp_expr *expr, truth *out);

/* Once a child has decided a row's outcome, the row is not wanted from later children. */
static void test_junction(const block *outer, const gemp_expr *expr, truth *out)
{
	truth other[BLOCK], decisive = expr->kind == GEMP_OR ? YES : NO;
	uint8_t wanted[BLOCK];
	block block = *outer;
	memset(out, YES - decisive, block.count);
	memcpy(wanted, outer->wanted, block.count);
	block.wanted = wanted;
	for (size_t c = 0; c < expr->count; c++) {
		test(&block, expr->children[c], other);
		for (size_t i = 0; i < block.count; i++) {
			out[i] = (decisive == YES ? other[i] > out[i] : other[i] < out[i]) ? other[i] : out[i];
			wanted[i] &= out[i] != decisive;
		}
	}
}

/* A block in which no outcome is wanted is not skipped. Its loops are cheap, and expensive tests check `wanted` for
 * each row. */
static void test(const block *block, const gemp_expr *expr, truth *out)
{
	if (expr->kind == GEMP_AND || expr->kind == GEMP_OR) {
		test_junction(block, expr, out);
	} else if (expr->kind == GEMP_NOT) {
		test(block, expr->children[0], out);
		for (size_t i = 0; i < block->count; i++)
			out[i] = (truth)(YES - out[i]);
	} else if (is_comparison(expr->kind)) {
		compare(block, expr, out);
	} else if (expr->kind == GEMP_IS_NULL || expr->kind == GEMP_IS_NOT_NULL) {
		test_null(block, expr, out);
	} else {
		test_each(block, expr, out);
	}
}

/* True if some part of the expression is evaluated in blocks. Otherwise row by row evaluation is better, because it
 * skips dropped rows. */
static bool has_columns(const gemp_row_view *view, const gemp_expr *expr)
{
	comparand side;
	if (is_comparison(expr->kind))
		return find_comparand(view, expr->children[0], &side) && find_comparand(view, expr->children[1], &side);
	if (expr->kind == GEMP_AND || expr->kind == GEMP_OR || expr->kind == GEMP_NOT)
		for (size_t c = 0; c < expr->count; c++)
			if (has_columns(view, expr->children[c]))
				return true;
	return expr->kind == GEMP_IS_NULL || expr->kind == GEMP_IS_NOT_NULL;
}

/* The rows are tested in blocks that fit into the cache of a core. */
gemp_code gemp_row_test(const gemp_row_view *view, const gemp_expr *expr, uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	gemp_arena scratch = { 0 };
	block block = { .view = view, .scratch = &scratch, .code = &code };
	truth out[BLOCK];
	bool by_block = has_columns(view, expr);
	for (; block.first < view->rows && code == GEMP_OK; block.first += block.count) {
		size_t left = view->rows - block.first;
		block.count = left < BLOCK ? left : BLOCK;
		block.wanted = keep + block.first;
		if (by_block)
			test(&block, expr, out);
		for (size_t i = 0; i < block.count; i++) {
			size_t row = block.first + i;
			keep[row] = keep[row] && (by_block ? out[i] == YES : is_true(&block, expr, row));
		}
	}
	gemp_arena_free(&scratch);
	return code;
}
