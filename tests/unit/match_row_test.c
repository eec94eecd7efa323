/* Compares conditions evaluated on blocks of rows with expr_is_true on each row. Tests the vertex index, too: its ids
 * ascend, and the position of each id holds that id. */
#include "harness/harness.h"
#include "harness/pattern_oracle.h"

#include "core/random.h"
#include "core/status.h"
#include "core/types.h"
#include "graph/column.h"
#include "match/filter/element_values.h"
#include "match/filter/row_test.h"
#include "pattern/condition/evaluate.h"
#include "pattern/model/expr.h"

#include <string.h>

enum { COLUMNS = 10, MOST_ROWS = 2500, MOST_VALUES = 40, LABEL_SETS = 5 };

typedef struct table {
	size_t rows, row;
	gemp_column columns[COLUMNS]; /* `rows` values if place[c] is NULL, otherwise 1 to MOST_VALUES */
	uint32_t *place[COLUMNS];     /* [rows] index of each row's value; NULL: row r has value r */
	uint32_t label_sets[MOST_ROWS];
} table;

static uint64_t seed;

static size_t below(size_t bound)
{
	return (size_t)gemp_random_below(&seed, bound);
}

static gemp_value random_value(gemp_type type)
{
	static const char *const strings[] = { "", "a", "ab", "b" };
	static const int64_t integers[] = { 0, 1, -1, 2, INT64_MAX, INT64_MIN, 9007199254740993 };
	static const double floats[] = { 0, -0.0, 1, 2.5, 9007199254740992.0, -1e300 };
	gemp_value value = { .type = type };
	if (type == GEMP_STRING) {
		value.string.bytes = strings[below(4)];
		value.string.size = strlen(value.string.bytes);
	} else if (type == GEMP_INTEGER) {
		value.integer = integers[below(7)];
	} else if (type == GEMP_FLOAT) {
		value.real = floats[below(6)];
	} else {
		value.truth = below(2);
	}
	return value;
}

static table *new_table(size_t rows)
{
	table *t = gemp_calloc(1, sizeof *t);
	assert_non_null(t);
	t->rows = rows;
	for (size_t r = 0; r < rows; r++)
		t->label_sets[r] = (uint32_t)below(LABEL_SETS);
	for (size_t c = 0; c < COLUMNS; c++) {
		bool placed = below(3) > 0;
		size_t values = placed ? 1 + below(MOST_VALUES) : rows, nulls = below(2) ? 5 : 0;
		assert_ok(gemp_column_init(&t->columns[c], "column", (gemp_type)(c % 4)));
		assert_ok(gemp_column_reserve(&t->columns[c], values, 0));
		for (size_t i = 0; i < values; i++) {
			gemp_value value = random_value((gemp_type)(c % 4));
			value.null = nulls && below(nulls) == 0;
			assert_ok(gemp_column_add(&t->columns[c], &value));
		}
		if (placed)
			assert_ok(GEMP_NEW(t->place[c], rows));
		for (size_t r = 0; placed && r < rows; r++)
			t->place[c][r] = (uint32_t)below(values);
	}
	return t;
}

static void free_table(table *t)
{
	for (size_t c = 0; c < COLUMNS; c++) {
		gemp_column_free(&t->columns[c]);
		gemp_free(t->place[c]);
	}
	gemp_free(t);
}

/* Attribute COLUMNS has no column; its value is true in odd rows. Attribute COLUMNS + 1 is NULL in all rows. */
static bool source_of(void *context, const gemp_expr *expr, gemp_row_source *out)
{
	const table *t = context;
	*out = (gemp_row_source){ 0 };
	if (expr->kind != GEMP_ATTRIBUTE || expr->attribute == COLUMNS)
		return false;
	if (expr->attribute < COLUMNS)
		*out = (gemp_row_source){ &t->columns[expr->attribute], t->place[expr->attribute] };
	return true;
}

static void at(void *context, size_t row)
{
	((table *)context)->row = row;
}

static gemp_value value_of(void *context, const gemp_expr *expr)
{
	const table *t = context;
	int c = expr->attribute;
	if (c == COLUMNS)
		return (gemp_value){ .type = GEMP_BOOLEAN, .truth = t->row % 2 };
	if (c > COLUMNS)
		return (gemp_value){ .null = true };
	return gemp_column_get(&t->columns[c], t->place[c] ? t->place[c][t->row] : t->row);
}

static uint32_t label_set_of(void *context, int variable)
{
	const table *t = context;
	(void)variable;
	return t->label_sets[t->row];
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

static gemp_expr *random_operand(void)
{
	gemp_expr *expr = new_expr(below(4) ? GEMP_ATTRIBUTE : GEMP_LITERAL, 0);
	expr->attribute = (int)below(COLUMNS + 2);
	expr->value = random_value((gemp_type)below(4));
	expr->value.null = below(12) == 0;
	return expr;
}

/* A list that has an operand after its literals is evaluated row by row. */
static gemp_expr *random_in(void)
{
	gemp_expr *expr = new_expr(GEMP_IN, 1 + below(5));
	for (size_t i = 0; i < expr->count; i++) {
		expr->children[i] = random_operand();
		if (i > 0 && below(9))
			expr->children[i]->kind = GEMP_LITERAL;
	}
	return expr;
}

static gemp_expr *random_label(void)
{
	gemp_expr *expr = new_expr(GEMP_HAS_LABEL, 0);
	assert_ok(GEMP_NEW(expr->label_sets, LABEL_SETS));
	for (int i = 0; i < LABEL_SETS; i++)
		expr->label_sets[i] = below(2);
	return expr;
}

static gemp_expr *random_leaf(void)
{
	static const gemp_expr_kind kinds[] = { GEMP_EQ, GEMP_NE,       GEMP_LT,          GEMP_LE,       GEMP_GT,
		                                    GEMP_GE, GEMP_CONTAINS, GEMP_STARTS_WITH, GEMP_ENDS_WITH };
	gemp_expr *expr;
	switch (below(8)) {
	case 0:
		expr = new_expr(below(2) ? GEMP_IS_NULL : GEMP_IS_NOT_NULL, 1);
		expr->children[0] = random_operand();
		return expr;
	case 1:
		expr = random_operand();
		expr->kind = GEMP_ATTRIBUTE;
		return expr;
	case 2: return random_in();
	case 3: return random_label();
	default:
		expr = new_expr(kinds[below(sizeof kinds / sizeof *kinds)], 2);
		expr->children[0] = random_operand();
		expr->children[1] = random_operand();
		return expr;
	}
}

static gemp_expr *random_condition(int depth)
{
	static const gemp_expr_kind kinds[] = { GEMP_AND, GEMP_OR, GEMP_NOT };
	if (depth == 0 || below(4) == 0)
		return random_leaf();
	gemp_expr_kind kind = kinds[below(3)];
	gemp_expr *expr = new_expr(kind, kind == GEMP_NOT ? 1 : below(4));
	for (size_t i = 0; i < expr->count; i++)
		expr->children[i] = random_condition(depth - 1);
	return expr;
}

/* The rows are tested in two parts. */
static size_t check(table *t, const gemp_expr *expr)
{
	const gemp_row_view view = { .context = t,
		                         .label_sets = below(2) ? t->label_sets : NULL,
		                         .source = source_of,
		                         .at = at,
		                         .scope = { .context = t, .value = value_of, .label_set = label_set_of } };
	uint8_t *keep;
	size_t kept = 0, middle = below(t->rows + 1);
	assert_ok(GEMP_NEW(keep, t->rows));
	for (size_t r = 0; r < t->rows; r++)
		keep[r] = r % 7 != 3;
	assert_ok(gemp_row_test(&view, expr, 0, middle, keep));
	assert_ok(gemp_row_test(&view, expr, middle, t->rows - middle, keep + middle));
	for (size_t r = 0; r < t->rows; r++) {
		t->row = r;
		if (keep[r] != (r % 7 != 3 && expr_is_true(expr, &view.scope)))
			fail_msg("row %zu of %zu is %d; condition of kind %d", r, t->rows, keep[r], (int)expr->kind);
		kept += keep[r];
	}
	gemp_free(keep);
	return kept;
}

static void blocks_agree_with_single_rows(void **state)
{
	static const size_t sizes[] = { 0, 1, 1023, 1024, 1025, MOST_ROWS };
	size_t kept = 0, rows = 0;
	(void)state;
	seed = test_seed();
	for (int i = 0; i < 24; i++) {
		table *t = new_table(sizes[i % 6]);
		for (int j = 0; j < 60; j++) {
			gemp_expr *expr = random_condition(j % 4);
			kept += check(t, expr);
			rows += t->rows;
			free_expr(expr);
		}
		free_table(t);
	}
	assert_in_range(kept, rows / 20, rows - rows / 20);
	assert_int_equal(gemp_memory_blocks(), 0);
}

static void check_places(uint64_t vertices, size_t count, size_t distinct)
{
	enum { STRIDE = 3 };
	gemp_vertex_index places;
	gemp_vertex *ids;
	uint32_t *place;
	assert_ok(GEMP_NEW(ids, count * STRIDE));
	assert_ok(GEMP_NEW(place, count));
	for (size_t i = 0; i < count * STRIDE; i++)
		ids[i] = (gemp_vertex)(i % STRIDE ? vertices - 1 : gemp_mix(below(distinct)) % vertices);
	assert_ok(gemp_vertex_index_new(&places, vertices, count));
	gemp_vertex_index_add(&places, ids, count / 2, STRIDE);
	gemp_vertex_index_add(&places, ids + count / 2 * STRIDE, count - count / 2, STRIDE);
	assert_ok(gemp_vertex_index_finish(&places));
	gemp_vertex_index_find(&places, ids, count, STRIDE, place);
	assert_true(places.count <= distinct);
	for (size_t i = 1; i < places.count; i++)
		assert_true(places.ids[i - 1] < places.ids[i]);
	for (size_t i = 0; i < count; i++) {
		assert_true(place[i] < places.count);
		assert_int_equal(places.ids[place[i]], ids[i * STRIDE]);
	}
	gemp_vertex_index_free(&places);
	gemp_free(place);
	gemp_free(ids);
}

static void places_of_few_and_many(void **state)
{
	(void)state;
	seed = test_seed();
	for (int i = 0; i < 20; i++) {
		check_places(1 + below(3), 1 + below(50), 5);
		check_places(1 + below(5000), below(3000), 1 + below(3000));
		check_places(UINT32_MAX, below(3000), 1 + below(3000)); /* a bitmap of all ids would take half a gigabyte */
		check_places(1 + below(1 << 26), below(200), 100);
	}
	assert_int_equal(gemp_memory_blocks(), 0);
}

static gemp_code places_once(void *vertices)
{
	gemp_code code = GEMP_OK;
	gemp_vertex_index places = { 0 };
	gemp_vertex ids[100];
	for (gemp_vertex i = 0; i < 100; i++)
		ids[i] = 99 - i;
	GEMP_TRY_DONE(gemp_vertex_index_new(&places, *(const uint64_t *)vertices, 100));
	gemp_vertex_index_add(&places, ids, 100, 1);
	GEMP_TRY_DONE(gemp_vertex_index_finish(&places));
done:
	gemp_vertex_index_free(&places);
	return code;
}

static void without_memory(void **state)
{
	uint64_t few = 100, many = UINT32_MAX;
	(void)state;
	assert_survives_no_memory(places_once, &few);
	assert_survives_no_memory(places_once, &many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_agree_with_single_rows),
		cmocka_unit_test(places_of_few_and_many),
		cmocka_unit_test(without_memory),
	};
	return test_main(tests);
}
