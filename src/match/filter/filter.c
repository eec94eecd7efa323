#include "match/filter/filter.h"

#include "core/bitset.h"
#include "match/filter/filter_device.h"
#include "pattern/condition/evaluate.h"

#include <stdlib.h>
#include <string.h>

/* The kernels, and the columns on the device. All columns are of the rows with the present tag. A filter on the host
 * has neither. */
struct gemp_filter {
	bool on_host;
	gemp_filter_launcher site;
	/* tag of the rows whose columns are on the device; number of the last tag of gemp_filter_next_tag */
	uint64_t tag, last_tag;
	bool tagged;
	gemp_filter_columns columns;
	bool count_loops;
};

/* The elements for which a condition is evaluated: the rows, or the distinct values of a column. */
typedef struct domain {
	gemp_filter *filter;
	gemp_filter_launcher site;
	gemp_filter_view view;
	/* the column whose distinct values are evaluated; NULL: the rows are evaluated */
	const gemp_filter_column *distinct;
	const uint32_t *among; /* bits of the elements that the host must evaluate; NULL: all elements */
} domain;

/* No columns are copied here; each is copied when a condition first reads it. */
gemp_code gemp_filter_new(gemp_filter **out, gemp_runtime *context, bool on_host)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED gemp_filter *filter = NULL;
	*out = NULL;
	code = GEMP_NEW(filter, 1);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	filter->on_host = on_host;
	if (!on_host) {
		filter->columns.device = context->device;
		filter->columns.timers = &context->timers;
		GEMP_TRY(gemp_filter_launcher_new(&filter->site, context));
	}
	*out = filter;
	filter = NULL;
	return GEMP_OK;
}

/* The columns' device is borrowed and stays. */
void gemp_filter_free(gemp_filter *filter)
{
	if (!filter)
		return;
	gemp_filter_columns_free(&filter->columns);
	gemp_filter_launcher_free(&filter->site);
	gemp_free(filter);
}

void gemp_filter_count_loops(gemp_filter *filter, bool count_loops)
{
	filter->count_loops = count_loops;
}

bool gemp_filter_counts_loops(const gemp_filter *filter)
{
	return filter && filter->count_loops;
}

uint64_t gemp_filter_copied(const gemp_filter *filter)
{
	return filter->columns.copied;
}

size_t gemp_filter_residual_peak(const gemp_filter *filter)
{
	return filter->columns.peak;
}

/* Copies a column to the device on its first use. The distinct values of a dictionary are on the device already. */
static gemp_code need_column(const domain *over, int id, gemp_operand *out)
{
	if (!over->distinct)
		return gemp_filter_need_column(&over->filter->columns, &over->view, id, out);
	*out = over->distinct->values;
	return GEMP_OK;
}

/* LEAVES */

/* One side of a comparison, in device memory. If *owned becomes true, the caller frees the operand. If *missing becomes
 * true, the side is NULL in every row. */
static gemp_code need_operand(const domain *over, const gemp_expr *expr, gemp_operand *out, bool *owned, bool *missing)
{
	int id = gemp_filter_reads(expr);
	*out = (gemp_operand){ 0 };
	*owned = false;
	*missing = false;
	if (id != GEMP_FILTER_NO_COLUMN)
		return need_column(over, id, out);
	*missing = expr->kind != GEMP_LITERAL || expr->value.null;
	if (*missing)
		return GEMP_OK;
	*owned = true;
	return gemp_operand_literals(out, over->site.device, expr->value.type, &expr->value, 1);
}

/* A comparison with a value that is NULL in all rows is never true, and its negation is never true. */
static gemp_code evaluate_pair(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	const gemp_filter_launcher *site = &over->site;
	gemp_operand side[2] = { 0 };
	bool owned[2] = { false }, missing[2] = { false };
	for (int i = 0; i < 2; i++)
		GEMP_TRY_DONE(need_operand(over, expr->children[i], &side[i], &owned[i], &missing[i]));
	if (missing[0] || missing[1])
		code = gemp_filter_fill(site, false, out);
	else if (expr->kind == GEMP_CONTAINS || expr->kind == GEMP_STARTS_WITH || expr->kind == GEMP_ENDS_WITH)
		code = gemp_filter_substring(site, expr->kind, negated, &side[0], &side[1], out);
	else
		code = gemp_filter_compare(site, expr->kind, negated, &side[0], &side[1], out);
done:
	for (int i = 0; i < 2; i++)
		if (owned[i])
			gemp_operand_release(&side[i]);
	return code;
}

/* An attribute that no vertex has is NULL in every row, so IS NULL is true for every row. */
static gemp_code evaluate_null(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	bool wanted = (expr->kind == GEMP_IS_NULL) != negated;
	int id = gemp_filter_reads(expr->children[0]);
	gemp_operand operand;
	if (id == GEMP_FILTER_NO_COLUMN)
		return gemp_filter_fill(&over->site, wanted, out);
	gemp_code code = need_column(over, id, &operand);
	return code == GEMP_OK ? gemp_filter_null(&over->site, wanted, &operand, &operand, out) : code;
}

/* The binder has decided which label sets contain the label; the kernel looks up the bit of a row's label set. */
static gemp_code evaluate_label(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer has = { 0 };
	gemp_device *device = over->site.device;
	GEMP_TRY(gemp_filter_need_label_set(&over->filter->columns, &over->view));
	GEMP_TRY(
		gemp_buffer_new(&has, device, over->view.rows->label_set_count * sizeof *expr->label_sets, expr->label_sets));
	return gemp_filter_label(&over->site, negated, &over->filter->columns.label_set, &has, out);
}

/* A condition that is only an attribute is true if the attribute is the boolean true. */
static gemp_code evaluate_truth(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	int id = gemp_filter_reads(expr);
	gemp_operand operand;
	GEMP_OWNED_BY(gemp_operand_release) gemp_operand truth = { 0 };
	if (id == GEMP_FILTER_NO_COLUMN || gemp_filter_column_of(&over->view, id)->type != GEMP_BOOLEAN)
		return gemp_filter_fill(&over->site, false, out);
	GEMP_TRY(need_column(over, id, &operand));
	gemp_value value = { .type = GEMP_BOOLEAN, .truth = !negated };
	GEMP_TRY(gemp_operand_literals(&truth, over->site.device, GEMP_BOOLEAN, &value, 1));
	return gemp_filter_compare(&over->site, GEMP_EQ, false, &operand, &truth, out);
}

/* Compares two literals of one type, for qsort. Values of one type are always comparable. */
static int compare_values(const void *a, const void *b)
{
	bool comparable;
	return gemp_value_compare(a, b, &comparable);
}

/* Writes the distinct literals of one type in ascending order, for a binary search on the device. Returns their
 * number. */
static size_t pick_literals(const gemp_expr *expr, gemp_type type, gemp_value *picked)
{
	size_t count = 0, kept = 0;
	for (size_t i = 1; i < expr->count; i++) {
		const gemp_value *value = &expr->children[i]->value;
		if (!value->null && value->type == type)
			picked[count++] = *value;
	}
	qsort(picked, count, sizeof *picked, compare_values);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_values(&picked[kept - 1], &picked[i]) != 0)
			picked[kept++] = picked[i];
	return kept;
}

/* Evaluates IN with only the literals of one type. A literal of another kind cannot equal a value of the column. */
static gemp_code evaluate_in_type(const domain *over, const gemp_expr *expr, bool negated, int id, gemp_type type,
                                  const gemp_buffer *out)
{
	GEMP_OWNED gemp_value *picked = NULL;
	gemp_operand operand;
	GEMP_OWNED_BY(gemp_operand_release) gemp_operand list = { 0 };
	GEMP_TRY(GEMP_NEW(picked, expr->count));
	size_t count = pick_literals(expr, type, picked);
	GEMP_TRY(need_column(over, id, &operand));
	GEMP_TRY(gemp_operand_literals(&list, over->site.device, type, picked, count));
	return gemp_filter_in(&over->site, negated, &operand, &list, count, out);
}

/* True if a literal of the list is NULL. NOT IN is then unknown for every row, so it is never true. */
static bool has_null(const gemp_expr *expr)
{
	for (size_t i = 1; i < expr->count; i++)
		if (expr->children[i]->value.null)
			return true;
	return false;
}

/* A number is compared with the literals of both number types, by two launches. */
static gemp_code evaluate_in(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	int id = gemp_filter_reads(expr->children[0]);
	gemp_device *device = over->site.device;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer other = { 0 };
	if (expr->count == 1) /* an empty list: IN is false, even for NULL */
		return gemp_filter_fill(&over->site, negated, out);
	if (id == GEMP_FILTER_NO_COLUMN || (negated && has_null(expr)))
		return gemp_filter_fill(&over->site, false, out);
	gemp_type type = gemp_filter_column_of(&over->view, id)->type;
	GEMP_TRY(evaluate_in_type(over, expr, negated, id, type, out));
	if (type == GEMP_INTEGER || type == GEMP_FLOAT) {
		gemp_type second = type == GEMP_INTEGER ? GEMP_FLOAT : GEMP_INTEGER;
		GEMP_TRY(gemp_buffer_new(&other, device, out->size, NULL));
		GEMP_TRY(evaluate_in_type(over, expr, negated, id, second, &other));
		GEMP_TRY(gemp_filter_combine(&over->site, !negated, &other, out));
	}
	return GEMP_OK;
}

/* A constant reads no element, so any number serves. */
static uint64_t any_element(void *context, int variable, bool edge)
{
	(void)context;
	(void)variable;
	(void)edge;
	return 0;
}

/* An expression that reads no vertex is evaluated once, on the host. */
static gemp_code evaluate_constant(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	const gemp_scope nothing = { .element = any_element };
	gemp_expr *child = (gemp_expr *)(uintptr_t)expr;
	const gemp_expr not = { .kind = GEMP_NOT, .count = 1, .children = &child };
	gemp_arena scratch = { 0 };
	bool truth;
	gemp_code code = gemp_expr_test(negated ? &not : expr, &nothing, &scratch, &truth);
	gemp_arena_free(&scratch);
	return code == GEMP_OK ? gemp_filter_fill(&over->site, truth, out) : code;
}

/* Copies the bitmap to the device, where the bitmaps of all leaves are combined. */
static gemp_code evaluate_on_host(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	GEMP_OWNED uint32_t *bits = NULL;
	gemp_expr *child = (gemp_expr *)(uintptr_t)expr;
	const gemp_expr not = { .kind = GEMP_NOT, .count = 1, .children = &child };
	const gemp_expr *wanted = negated ? &not : expr;
	GEMP_TRY(GEMP_NEW(bits, over->site.words));
	GEMP_TRY(gemp_filter_on_host(&over->view, &wanted, 1, over->among, bits));
	return gemp_buffer_write(over->site.device, out, 0, out->size, bits);
}

/* A leaf without a kernel is evaluated on the host. */
static gemp_code evaluate_leaf(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	if (!gemp_filter_has_kernel(expr))
		return evaluate_on_host(over, expr, negated, out);
	switch (expr->kind) {
	case GEMP_HAS_LABEL: return evaluate_label(over, expr, negated, out);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL: return evaluate_null(over, expr, negated, out);
	case GEMP_IN: return evaluate_in(over, expr, negated, out);
	case GEMP_ATTRIBUTE:
	case GEMP_KEY: return evaluate_truth(over, expr, negated, out);
	default: return evaluate_pair(over, expr, negated, out);
	}
}

/* TREES */

static gemp_code evaluate(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out);

/* Evaluates a child of an AND or OR on the host, because the child has no kernel. The host evaluates only the rows that
 * the other children, whose result is `out`, leave undecided. */
static gemp_code evaluate_undecided(const domain *over, const gemp_expr *child, bool negated, bool or,
                                    const gemp_buffer *out, const gemp_buffer *other)
{
	GEMP_OWNED uint32_t *left = NULL;
	domain narrow = *over;
	GEMP_TRY(GEMP_NEW(left, over->site.words));
	GEMP_TRY(gemp_buffer_read(over->site.device, out, 0, out->size, left));
	for (size_t w = 0; w < over->site.words; w++)
		left[w] = (or ? ~left[w] : left[w]) & (over->among ? over->among[w] : UINT32_MAX);
	narrow.among = left;
	return evaluate(&narrow, child, negated, other);
}

/* AND is false if one child is false, and OR is true if one child is true. Children without kernels come last, when few
 * rows are undecided. */
static gemp_code evaluate_junction(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer other = { 0 };
	bool or = (expr->kind == GEMP_OR) != negated;
	GEMP_TRY(gemp_buffer_new(&other, over->site.device, out->size, NULL));
	GEMP_TRY(gemp_filter_fill(&over->site, ! or, out));
	for (int on_host = 0; on_host < 2; on_host++)
		for (size_t i = 0; i < expr->count; i++) {
			const gemp_expr *child = expr->children[i];
			if (gemp_filter_has_kernels(child) == on_host)
				continue;
			GEMP_TRY(on_host ? evaluate_undecided(over, child, negated, or, out, &other)
			                 : evaluate(over, child, negated, &other));
			GEMP_TRY(gemp_filter_combine(&over->site, or, &other, out));
		}
	return GEMP_OK;
}

/* Sets the bits of the distinct values that occur in the rows of over->among. */
static gemp_code find_values(const domain *over, const gemp_filter_column *distinct, uint32_t **among)
{
	const uint32_t *codes = distinct->dictionary.codes;
	GEMP_TRY(GEMP_NEW(*among, gemp_bits32_words(distinct->dictionary.values.rows)));
	for (size_t row = 0; row < over->view.count; row++)
		if (gemp_bits32_test(over->among, row))
			gemp_bits32_set(*among, codes[row]);
	return GEMP_OK;
}

/* Evaluates a condition once for each distinct value of a column. Each row then looks up the bit of its value by its
 * code. */
static gemp_code evaluate_distinct(const domain *over, const gemp_filter_column *distinct, const gemp_expr *expr,
                                   bool negated, const gemp_buffer *out)
{
	const gemp_column *values = &distinct->dictionary.values;
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer bits = { 0 };
	GEMP_OWNED uint32_t *among = NULL;
	domain inner = *over;
	inner.distinct = distinct;
	inner.view.values = values;
	inner.view.count = values->rows;
	inner.site.rows = (cl_uint)values->rows;
	inner.site.words = gemp_bits32_words(values->rows);
	if (over->among && !gemp_filter_has_kernels(expr))
		GEMP_TRY(find_values(over, distinct, &among));
	inner.among = among;
	GEMP_TRY(gemp_buffer_new(&bits, over->site.device, inner.site.words * sizeof(uint32_t), NULL));
	GEMP_TRY(evaluate(&inner, expr, negated, &bits));
	return gemp_filter_lookup(&over->site, &distinct->codes, &bits, out);
}

/* Chooses how a subtree is evaluated: as a constant, for distinct values, as a junction, or as a leaf. */
static gemp_code evaluate(const domain *over, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	const gemp_filter_column *distinct = NULL;
	int id;
	if (gemp_filter_is_constant(expr))
		return evaluate_constant(over, expr, negated, out);
	if (!over->distinct && !over->view.rows->repeated && gemp_filter_reads_strings(&over->view, expr, &id))
		GEMP_TRY(gemp_filter_need_dictionary(&over->filter->columns, &over->view, id, !gemp_filter_has_kernels(expr),
		                                     &distinct));
	if (distinct)
		code = evaluate_distinct(over, distinct, expr, negated, out);
	else if (expr->kind == GEMP_NOT)
		code = evaluate(over, expr->children[0], !negated, out);
	else if (expr->kind == GEMP_AND || expr->kind == GEMP_OR)
		code = evaluate_junction(over, expr, negated, out);
	else
		code = evaluate_leaf(over, expr, negated, out);
	return code;
}

/* Clears the bits of the rows for which some condition is not true. As on a device, conditions with kernels come first:
 * they cannot fail, and leave fewer rows to those that can. */
static gemp_code evaluate_by_threads(const gemp_filter_view *view, const gemp_condition *const *conditions,
                                     size_t count, uint32_t *bitmap)
{
	GEMP_OWNED const gemp_expr **exprs = NULL;
	size_t ordered = 0;
	GEMP_TRY(GEMP_NEW(exprs, count));
	for (int expensive = 0; expensive < 2; expensive++)
		for (size_t i = 0; i < count; i++)
			if (gemp_filter_has_kernels(conditions[i]->expr) != expensive)
				exprs[ordered++] = conditions[i]->expr;
	return gemp_filter_on_host(view, exprs, ordered, bitmap, bitmap);
}

/* Reads the result of all conditions. For elements of matches, waiting for the kernels is not counted as reading. */
static gemp_code read_result(const domain *over, const gemp_buffer *out, uint32_t *bitmap)
{
	gemp_device *device = over->site.device;
	if (!over->view.rows->residual)
		return gemp_buffer_read(device, out, 0, out->size, bitmap);
	GEMP_TRY(GEMP_CL(clFinish(device->queue)));
	const double began = gemp_now();
	GEMP_TRY(gemp_buffer_read(device, out, 0, out->size, bitmap));
	gemp_timers_add(over->filter->columns.timers, GEMP_PHASE_SELECT, began);
	return GEMP_OK;
}

/* Clears the bits of the rows for which some condition is not true. Conditions with kernels come first. */
static gemp_code evaluate_all(const domain *over, const gemp_condition *const *conditions, size_t count,
                              uint32_t *bitmap)
{
	GEMP_OWNED_BY(gemp_buffer_release) gemp_buffer out = { 0 }, other = { 0 };
	size_t size = over->site.words * sizeof *bitmap;
	domain narrow = *over;
	GEMP_TRY(gemp_buffer_new(&out, over->site.device, size, NULL));
	GEMP_TRY(gemp_buffer_new(&other, over->site.device, size, NULL));
	GEMP_TRY(gemp_buffer_write(over->site.device, &out, 0, size, bitmap));
	for (int on_host = 0; on_host < 2; on_host++)
		for (size_t i = 0; i < count; i++) {
			if (gemp_filter_has_kernels(conditions[i]->expr) == on_host)
				continue;
			if (on_host)
				GEMP_TRY(gemp_buffer_read(over->site.device, &out, 0, size, bitmap));
			narrow.among = on_host ? bitmap : NULL;
			GEMP_TRY(evaluate(&narrow, conditions[i]->expr, false, &other));
			GEMP_TRY(gemp_filter_combine(&over->site, false, &other, &out));
		}
	return read_result(over, &out, bitmap);
}

/* Sets the bits of all rows of rows->among. Conditions then clear bits. */
static void init_bitmap(const gemp_filter_rows *rows, uint32_t *bitmap, size_t words)
{
	if (rows->among)
		memcpy(bitmap, rows->among, words * sizeof *bitmap);
	else
		memset(bitmap, 0xff, words * sizeof *bitmap);
	gemp_bits32_trim(bitmap, rows->rows);
}

/* The highest bit is set, so these tags differ from tags that callers choose. */
uint64_t gemp_filter_next_tag(gemp_filter *filter)
{
	return UINT64_C(1) << 63 | ++filter->last_tag;
}

/* Rows with another tag have other values, so the columns of the previous tag are dropped from the device. */
gemp_code gemp_filter_evaluate(gemp_filter *filter, const gemp_filter_rows *rows,
                               const gemp_condition *const *conditions, size_t count, uint32_t *bitmap)
{
	domain all = { .filter = filter, .site = filter->site, .view = { .count = rows->rows, .rows = rows } };
	if (rows->rows == 0)
		return GEMP_OK;
	init_bitmap(rows, bitmap, gemp_bits32_words(rows->rows));
	if (filter->on_host)
		return evaluate_by_threads(&all.view, conditions, count, bitmap);
	if (!filter->tagged || filter->tag != rows->tag)
		gemp_filter_columns_reset(&filter->columns);
	filter->tag = rows->tag;
	filter->tagged = true;
	all.site.rows = (cl_uint)rows->rows;
	all.site.words = gemp_bits32_words(rows->rows);
	GEMP_TRY(evaluate_all(&all, conditions, count, bitmap));
	if (rows->residual)
		gemp_filter_columns_measure(&filter->columns);
	return GEMP_OK;
}
