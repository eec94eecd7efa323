#include "match/filter/filter_host.h"

#include "core/bitset.h"
#include "core/status.h"
#include "core/threads.h"
#include "match/filter/row_test.h"

#include <stdatomic.h>
#include <string.h>

/* The binder gives an attribute that no vertex has a negative number. */
int gemp_filter_reads(const gemp_expr *expr)
{
	if (expr->kind == GEMP_KEY)
		return GEMP_FILTER_KEY;
	return expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 ? expr->attribute : GEMP_FILTER_NO_COLUMN;
}

/* A view of distinct values has only one column, which serves every id. */
const gemp_column *gemp_filter_column_of(const gemp_filter_view *view, int id)
{
	const gemp_column *column = view->values;
	if (!column)
		column = id == GEMP_FILTER_KEY ? view->rows->key : view->rows->columns[id];
	GEMP_CHECK(column && column->rows == view->count && gemp_column_loaded(column));
	return column;
}

/* True if the expression is a column or a literal that kernels can read. Lists have no kernel. */
static bool is_operand(const gemp_expr *expr)
{
	if (expr->kind == GEMP_LITERAL)
		return expr->value.null || expr->value.type != GEMP_LIST;
	return (expr->kind == GEMP_ATTRIBUTE && !expr->of_edge) || expr->kind == GEMP_KEY;
}

/* IN has a kernel if its list has only literals that kernels can read. */
static bool is_list(const gemp_expr *expr)
{
	for (size_t i = 1; i < expr->count; i++)
		if (expr->children[i]->kind != GEMP_LITERAL || !is_operand(expr->children[i]))
			return false;
	return is_operand(expr->children[0]);
}

/* Kernels compare columns with columns or literals. The host computes all other leaves. */
bool gemp_filter_has_kernel(const gemp_expr *leaf)
{
	switch (leaf->kind) {
	case GEMP_EQ:
	case GEMP_NE:
	case GEMP_LT:
	case GEMP_LE:
	case GEMP_GT:
	case GEMP_GE:
	case GEMP_CONTAINS:
	case GEMP_STARTS_WITH:
	case GEMP_ENDS_WITH: return is_operand(leaf->children[0]) && is_operand(leaf->children[1]);
	case GEMP_IN: return is_list(leaf);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: return is_operand(leaf->children[0]);
	case GEMP_HAS_LABEL: return true;
	default: return is_operand(leaf);
	}
}

/* A constant is evaluated once on the host and needs no kernel. */
bool gemp_filter_has_kernels(const gemp_expr *expr)
{
	if (gemp_filter_is_constant(expr))
		return true;
	if (expr->kind != GEMP_AND && expr->kind != GEMP_OR && expr->kind != GEMP_NOT)
		return gemp_filter_has_kernel(expr);
	for (size_t i = 0; i < expr->count; i++)
		if (!gemp_filter_has_kernels(expr->children[i]))
			return false;
	return true;
}

/* True if the expression reads a value of the row that is in no column. */
static bool is_asked(const gemp_expr *expr)
{
	return expr->kind == GEMP_LABELS || expr->kind == GEMP_TYPE || expr->kind == GEMP_DEGREE ||
	       expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF || expr->kind == GEMP_COLUMN ||
	       (expr->kind == GEMP_ATTRIBUTE && expr->of_edge);
}

/* A comparison of a vertex with itself has the same outcome for every vertex. */
bool gemp_filter_is_constant(const gemp_expr *expr)
{
	if (expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY || expr->kind == GEMP_HAS_LABEL || is_asked(expr))
		return false;
	for (size_t i = 0; i < expr->count; i++)
		if (!gemp_filter_is_constant(expr->children[i]))
			return false;
	return true;
}

/* True if the expression reads at most one column, no label and no computed value. *id becomes the column. */
static bool reads_only(const gemp_expr *expr, int *id)
{
	int here = gemp_filter_reads(expr);
	if (expr->kind == GEMP_HAS_LABEL || is_asked(expr) ||
	    (here != GEMP_FILTER_NO_COLUMN && *id != GEMP_FILTER_NO_COLUMN && here != *id))
		return false;
	if (here != GEMP_FILTER_NO_COLUMN)
		*id = here;
	for (size_t i = 0; i < expr->count; i++)
		if (!reads_only(expr->children[i], id))
			return false;
	return true;
}

/* An expression that reads only one column of strings has one outcome for each distinct string, so a dictionary may
 * save most evaluations. */
bool gemp_filter_reads_strings(const gemp_filter_view *view, const gemp_expr *expr, int *id)
{
	*id = GEMP_FILTER_NO_COLUMN;
	return reads_only(expr, id) && *id != GEMP_FILTER_NO_COLUMN &&
	       gemp_filter_column_of(view, *id)->type == GEMP_STRING;
}

typedef struct row_cursor {
	const gemp_filter_view *view;
	size_t row;
} row_cursor;

/* The function `source` of gemp_row_view. */
static bool source_of(void *context, const gemp_expr *expr, gemp_row_source *out)
{
	const row_cursor *at = context;
	int id = gemp_filter_reads(expr);
	*out = (gemp_row_source){ 0 };
	if (id != GEMP_FILTER_NO_COLUMN)
		out->column = gemp_filter_column_of(at->view, id);
	return id != GEMP_FILTER_NO_COLUMN || (expr->kind == GEMP_ATTRIBUTE && !expr->of_edge);
}

static void move_to(void *context, size_t row)
{
	((row_cursor *)context)->row = row;
}

/* The value of an expression for the row at the cursor. */
static gemp_value value_at(void *context, const gemp_expr *expr)
{
	const row_cursor *at = context;
	int id = gemp_filter_reads(expr);
	if (id != GEMP_FILTER_NO_COLUMN)
		return gemp_column_get(gemp_filter_column_of(at->view, id), at->row);
	if (expr->kind == GEMP_LITERAL)
		return expr->value;
	if (is_asked(expr))
		return at->view->rows->value(at->view->rows->value_context, expr, at->row);
	return (gemp_value){ .null = true };
}

/* The row number stands for the vertex, since a condition can compare the vertex only with itself. */
static uint64_t element_at(void *context, int variable, bool edge)
{
	(void)variable;
	(void)edge;
	return ((const row_cursor *)context)->row;
}

/* The binder has decided which label sets contain a label, so the number of the row's label set is enough. */
static uint32_t label_set_at(void *context, int variable)
{
	const row_cursor *at = context;
	(void)variable;
	return at->view->rows->label_set[at->row];
}

/* True if this view knows all values that the expression reads. */
static bool can_be_asked(const gemp_filter_view *view, const gemp_expr *expr)
{
	if (is_asked(expr) && (view->values || !view->rows->value))
		return false;
	for (size_t i = 0; i < expr->count; i++)
		if (!can_be_asked(view, expr->children[i]))
			return false;
	return true;
}

/* A loop over the elements. Threads take chunks of whole words of the bitmap. */
typedef struct element_loop {
	const gemp_filter_view *view;
	const gemp_expr *const *exprs; /* [count] */
	size_t count;
	const uint32_t *among;
	uint32_t *bits;
	_Atomic gemp_code code; /* of a chunk that failed */
} element_loop;

enum { CHUNK = 1 << 14 };
_Static_assert(CHUNK % 32 == 0, "no word of the bitmap belongs to two chunks");

/* Elements that one condition drops are not tested by the next. */
static gemp_code test_elements(const element_loop *l, size_t begin, size_t end)
{
	uint8_t keep[CHUNK];
	row_cursor at = { .view = l->view };
	const gemp_row_view rows = {
		.context = &at,
		.label_sets = l->view->values ? NULL : l->view->rows->label_set,
		.source = source_of,
		.at = move_to,
		.scope = { .context = &at, .value = value_at, .element = element_at, .label_set = label_set_at },
	};
	for (size_t i = begin; i < end; i++)
		keep[i - begin] = !l->among || gemp_bits32_test(l->among, i);
	for (size_t e = 0; e < l->count; e++)
		GEMP_TRY(gemp_row_test(&rows, l->exprs[e], begin, end - begin, keep));
	memset(l->bits + begin / 32, 0, gemp_bits32_words(end - begin) * sizeof *l->bits);
	for (size_t i = begin; i < end; i++)
		l->bits[i / 32] |= (uint32_t)keep[i - begin] << i % 32;
	return GEMP_OK;
}

static void test_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	element_loop *l = context;
	(void)chunk;
	if (atomic_load_explicit(&l->code, memory_order_relaxed) != GEMP_OK)
		return;
	gemp_code code = test_elements(l, begin, end);
	if (code != GEMP_OK)
		atomic_store_explicit(&l->code, code, memory_order_relaxed);
}

/* The message of a failure belongs to the thread that failed. The calling thread therefore repeats the chunks up to the
 * first failure, whose message does not depend on the number of threads. */
gemp_code gemp_filter_on_host(const gemp_filter_view *view, const gemp_expr *const *exprs, size_t count,
                              const uint32_t *among, uint32_t *bits)
{
	element_loop loop = { .view = view, .exprs = exprs, .count = count, .among = among, .bits = bits };
	for (size_t e = 0; e < count; e++)
		if (!can_be_asked(view, exprs[e]))
			return gemp_fail(GEMP_EINTERNAL, "%d:%d: the condition reads values that are not known of a single vertex",
			                 exprs[e]->line, exprs[e]->column);
	gemp_for_chunks(view->count, CHUNK, test_chunk, &loop);
	if (loop.code == GEMP_OK)
		return GEMP_OK;
	for (size_t begin = 0; begin < view->count; begin += CHUNK)
		GEMP_TRY(test_elements(&loop, begin, gemp_min(begin + CHUNK, view->count)));
	return GEMP_OK;
}
