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

static truth truth_of(const gemp_value *value)
{
	return value->null || value->type != GEMP_BOOLEAN ? UNKNOWN : value->truth ? YES : NO;
}

/* Evaluates the wanted rows one by one. */
static void test_each(const block *block, const gemp_expr *expr, truth *out)
{
	const gemp_row_view *view = block->view;
	memset(out, UNKNOWN, block->count);
	for (size_t i = 0; i < block->count && *block->code == GEMP_OK; i++) {
		gemp_value value = { .null = true };
		if (!block->wanted[i])
			continue;
		view->at(view->context, block->first + i);
		gemp_arena_reset(block->scratch);
		*block->code = gemp_expr_value(expr, &view->scope, block->scratch, &value);
		out[i] = truth_of(&value);
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

/* = and <> of strings and a literal. The offsets show the sizes, so the bytes of most strings are not read: a scan of
 * 800,000 names takes 6.3 ms of one core (AMD EPYC, 2026-11-28), and 16 ms by compare_each. */
static void compare_strings(const block *block, bool equal, const comparand *side, const gemp_string *text, truth *out)
{
	const gemp_column *column = side->source.column;
	const uint32_t *place = side->source.index;
	for (size_t i = 0; i < block->count; i++) {
		size_t row = place ? place[block->first + i] : block->first + i;
		uint64_t at = column->offsets[row], size = column->offsets[row + 1] - at;
		bool same = size == text->size && memcmp(column->bytes + at, text->bytes, size) == 0;
		out[i] = same == equal ? YES : NO;
	}
	for (size_t i = 0; column->null && i < block->count; i++)
		out[i] = column->null[place ? place[block->first + i] : block->first + i] ? UNKNOWN : out[i];
}

/* True if compare_strings compares these sides. An empty literal may have no bytes, which memcmp needs. */
static bool are_strings(gemp_expr_kind kind, const comparand *a, const comparand *b)
{
	return (kind == GEMP_EQ || kind == GEMP_NE) && !a->literal && b->literal && type_of(a) == GEMP_STRING &&
	       type_of(b) == GEMP_STRING && b->value.string.size > 0;
}

static void compare_sides(const block *block, gemp_expr_kind kind, const comparand *a, const comparand *b, truth *out)
{
	if (always_null(a) || always_null(b))
		memset(out, UNKNOWN, block->count);
	else if (type_of(a) == type_of(b) && (type_of(a) == GEMP_INTEGER || type_of(a) == GEMP_FLOAT))
		compare_alike(block, kind, a, b, out);
	else if (are_strings(kind, a, b))
		compare_strings(block, kind == GEMP_EQ, a, &b->value.string, out);
	else
		compare_each(block, kind, a, b, out);
}

/* STARTS WITH, ENDS WITH and CONTAINS. The test is unknown for a value that is not a string. */
static void find_texts(const block *block, gemp_expr_kind kind, const comparand *a, const comparand *b, truth *out)
{
	memset(out, UNKNOWN, block->count);
	if (always_null(a) || always_null(b) || type_of(a) != GEMP_STRING || type_of(b) != GEMP_STRING)
		return;
	for (size_t i = 0; i < block->count; i++) {
		gemp_value whole = value_of(a, block->first + i), part = value_of(b, block->first + i);
		if (block->wanted[i] && !whole.null && !part.null)
			out[i] = gemp_text_find(kind, &whole.string, &part.string) ? YES : NO;
	}
}

/* If a side is neither a column nor a literal, the comparison is evaluated row by row. */
static void compare(const block *block, const gemp_expr *expr, truth *out)
{
	comparand a, b;
	if (!find_comparand(block->view, expr->children[0], &a) || !find_comparand(block->view, expr->children[1], &b))
		test_each(block, expr, out);
	else if (is_comparison(expr->kind))
		compare_sides(block, expr->kind, &a, &b, out);
	else
		find_texts(block, expr->kind, &a, &b, out);
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

/* True if the expression is IN over a column and literals. */
static bool is_list(const gemp_row_view *view, const gemp_expr *expr)
{
	comparand side;
	for (size_t i = 1; i < expr->count; i++)
		if (expr->children[i]->kind != GEMP_LITERAL)
			return false;
	return find_comparand(view, expr->children[0], &side);
}

/* IN is the OR of equalities. */
static void test_in(const block *block, const gemp_expr *expr, truth *out)
{
	truth other[BLOCK];
	comparand side, item;
	if (!is_list(block->view, expr)) {
		test_each(block, expr, out);
		return;
	}
	find_comparand(block->view, expr->children[0], &side);
	memset(out, NO, block->count);
	for (size_t c = 1; c < expr->count; c++) {
		find_comparand(block->view, expr->children[c], &item);
		compare_sides(block, GEMP_EQ, &side, &item, other);
		for (size_t i = 0; i < block->count; i++)
			out[i] = other[i] > out[i] ? other[i] : out[i];
	}
}

/* The binder has decided which label sets contain the label. */
static void test_label(const block *block, const gemp_expr *expr, truth *out)
{
	const uint32_t *sets = block->view->label_sets;
	if (!sets) {
		test_each(block, expr, out);
		return;
	}
	for (size_t i = 0; i < block->count; i++)
		out[i] = expr->label_sets[sets[block->first + i]] ? YES : NO;
}

/* A value that stands for its own truth. */
static void test_truth(const block *block, const gemp_expr *expr, truth *out)
{
	comparand side;
	if (!find_comparand(block->view, expr, &side)) {
		test_each(block, expr, out);
		return;
	}
	memset(out, UNKNOWN, block->count);
	for (size_t i = 0; i < block->count && !always_null(&side); i++) {
		gemp_value value = value_of(&side, block->first + i);
		out[i] = truth_of(&value);
	}
}

/* True if loops over blocks evaluate the whole expression, which takes some nanoseconds a row and cannot fail. */
static bool is_inexpensive(const gemp_row_view *view, const gemp_expr *expr)
{
	comparand side;
	switch (expr->kind) {
	case GEMP_AND:
	case GEMP_OR:
	case GEMP_NOT:
		for (size_t c = 0; c < expr->count; c++)
			if (!is_inexpensive(view, expr->children[c]))
				return false;
		return true;
	case GEMP_HAS_LABEL: return view->label_sets != NULL;
	case GEMP_IN: return is_list(view, expr);
	case GEMP_CONTAINS ... GEMP_ENDS_WITH:
	case GEMP_EQ ... GEMP_GE:
		return find_comparand(view, expr->children[0], &side) && find_comparand(view, expr->children[1], &side);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: return find_comparand(view, expr->children[0], &side);
	default: return find_comparand(view, expr, &side);
	}
}

/* TREES */

static void test(const block *block, const gemp_expr *expr, truth *out);

/* Once a child has decided a row's outcome, the row is not wanted from later children. Inexpensive children come first,
 * so that few rows are left for those that are evaluated row by row, and can fail. */
static void test_junction(const block *outer, const gemp_expr *expr, truth *out)
{
	truth other[BLOCK], decisive = expr->kind == GEMP_OR ? YES : NO;
	uint8_t wanted[BLOCK];
	block block = *outer;
	memset(out, YES - decisive, block.count);
	memcpy(wanted, outer->wanted, block.count);
	block.wanted = wanted;
	for (int expensive = 0; expensive < 2; expensive++)
		for (size_t c = 0; c < expr->count; c++) {
			if (is_inexpensive(block.view, expr->children[c]) == expensive)
				continue;
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
	switch (expr->kind) {
	case GEMP_AND:
	case GEMP_OR: test_junction(block, expr, out); return;
	case GEMP_NOT:
		test(block, expr->children[0], out);
		for (size_t i = 0; i < block->count; i++)
			out[i] = (truth)(YES - out[i]);
		return;
	case GEMP_CONTAINS ... GEMP_ENDS_WITH:
	case GEMP_EQ ... GEMP_GE: compare(block, expr, out); return;
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: test_null(block, expr, out); return;
	case GEMP_IN: test_in(block, expr, out); return;
	case GEMP_HAS_LABEL: test_label(block, expr, out); return;
	default: test_truth(block, expr, out);
	}
}

/* True if loops over blocks evaluate some part of the expression. Otherwise evaluation row by row is better, because it
 * skips dropped rows. */
static bool has_blocks(const gemp_row_view *view, const gemp_expr *expr)
{
	if (expr->kind == GEMP_AND || expr->kind == GEMP_OR || expr->kind == GEMP_NOT)
		for (size_t c = 0; c < expr->count; c++)
			if (has_blocks(view, expr->children[c]))
				return true;
	return is_inexpensive(view, expr);
}

/* The rows are tested in blocks that fit into the cache of a core. */
gemp_code gemp_row_test(const gemp_row_view *view, const gemp_expr *expr, size_t first, size_t rows, uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	gemp_arena scratch = { 0 };
	block block = { .view = view, .scratch = &scratch, .code = &code };
	truth out[BLOCK];
	bool by_block = has_blocks(view, expr);
	for (size_t done = 0; done < rows && code == GEMP_OK; done += block.count) {
		block.first = first + done;
		block.count = gemp_min(rows - done, BLOCK);
		block.wanted = keep + done;
		if (!memchr(block.wanted, 1, block.count))
			continue;
		if (by_block)
			test(&block, expr, out);
		for (size_t i = 0; i < block.count; i++)
			keep[done + i] = keep[done + i] && (by_block ? out[i] == YES : is_true(&block, expr, block.first + i));
	}
	gemp_arena_free(&scratch);
	return code;
}
