#include "match/filter.h"

#include "match/filter_leaf.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

/* What an expression reads, beside the index of an attribute. */
enum { KEY = -1, NOTHING = -2 }; /* NOTHING: a literal, or an attribute that no vertex has */

/* A column that is on the device. */
typedef struct resident {
	int id;
	gemp_operand operand;
} resident;

struct gemp_filter {
	gemp_context *context;
	gemp_program program;
	gemp_filter_site site;
	uint64_t tag;              /* of what is on the device */
	bool tagged;
	size_t count, capacity;
	resident *columns;         /* [count] */
	gemp_buffer label_set;     /* mem NULL: not there yet */
	uint64_t copied;
	const gemp_filter_rows *rows; /* during an evaluation */
};

gemp_code gemp_filter_new(gemp_filter **out, gemp_context *context)
{
	gemp_code code = GEMP_OK;
	gemp_filter *filter = NULL;
	char *source = NULL;
	*out = NULL;
	code = GEMP_NEW(filter, 1);
	if (code == GEMP_OK)
		code = gemp_kernel_source(&source, "filter.cl");
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	filter->context = context;
	filter->site.device = context->device;
	GEMP_TRY(gemp_context_program(context, &filter->program, source, NULL));
	for (int i = 0; i < GEMP_FILTER_KERNELS && code == GEMP_OK; i++)
		code = gemp_kernel_new(&filter->site.kernels[i], &filter->program, gemp_filter_kernel_name[i]);
	GEMP_TRY(gemp_comm_agree(context->comm, code));
	*out = filter;
	filter = NULL;
done:
	gemp_free(source);
	gemp_filter_free(filter);
	return code;
}

static void forget_columns(gemp_filter *filter)
{
	for (size_t i = 0; i < filter->count; i++)
		gemp_operand_free(&filter->columns[i].operand, filter->site.device);
	filter->count = 0;
	gemp_buffer_free(&filter->label_set, filter->site.device);
}

void gemp_filter_free(gemp_filter *filter)
{
	if (!filter)
		return;
	forget_columns(filter);
	gemp_free(filter->columns);
	if (filter->program.program && !filter->program.cached)
		gemp_program_store(filter->site.device, &filter->program); /* with what its first launches compiled */
	for (int i = 0; i < GEMP_FILTER_KERNELS; i++)
		if (filter->site.kernels[i])
			clReleaseKernel(filter->site.kernels[i]);
	gemp_program_free(&filter->program);
	gemp_free(filter);
}

uint64_t gemp_filter_copied(const gemp_filter *filter)
{
	return filter->copied;
}

static int id_of(const gemp_expr *expr)
{
	if (expr->kind == GEMP_KEY)
		return KEY;
	return expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0 ? expr->attribute : NOTHING;
}

static const gemp_column *column_at(const gemp_filter *filter, int id)
{
	const gemp_column *column = id == KEY ? filter->rows->key : filter->rows->columns[id];
	GEMP_CHECK(column && column->rows == filter->rows->rows && gemp_column_loaded(column));
	return column;
}

/* *out is borrowed. */
static gemp_code need_column(gemp_filter *filter, int id, gemp_operand *out)
{
	gemp_code code = GEMP_OK;
	double began = gemp_now();
	for (size_t i = 0; i < filter->count; i++)
		if (filter->columns[i].id == id) {
			*out = filter->columns[i].operand;
			return GEMP_OK;
		}
	GEMP_TRY(GEMP_RESERVE(filter->columns, filter->capacity, filter->count + 1));
	GEMP_TRY(gemp_operand_column(out, filter->site.device, column_at(filter, id)));
	filter->columns[filter->count++] = (resident){ id, *out };
	filter->copied += filter->rows->rows;
	gemp_timers_add(&filter->context->timers, GEMP_UPLOAD, began);
done:
	return code;
}

static gemp_code need_label_set(gemp_filter *filter)
{
	const gemp_filter_rows *rows = filter->rows;
	if (filter->label_set.mem)
		return GEMP_OK;
	GEMP_CHECK(rows->label_set != NULL);
	return gemp_buffer_new(&filter->label_set, filter->site.device, rows->rows * sizeof *rows->label_set,
	                       rows->label_set);
}

/* A leaf's value on the device; *owned if it is the caller's to free. NULL in every row: *missing. */
static gemp_code need_operand(gemp_filter *filter, const gemp_expr *expr, gemp_operand *out, bool *owned, bool *missing)
{
	int id = id_of(expr);
	*out = (gemp_operand){ 0 };
	*owned = false;
	*missing = false;
	if (id != NOTHING)
		return need_column(filter, id, out);
	*missing = expr->kind != GEMP_LITERAL || expr->value.null;
	if (*missing)
		return GEMP_OK;
	*owned = true;
	return gemp_operand_literals(out, filter->site.device, expr->value.type, &expr->value, 1);
}

static gemp_code evaluate_pair(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	const gemp_filter_site *site = &filter->site;
	gemp_operand side[2] = { 0 };
	bool owned[2] = { false }, missing[2] = { false };
	for (int i = 0; i < 2; i++)
		GEMP_TRY(need_operand(filter, expr->children[i], &side[i], &owned[i], &missing[i]));
	if (missing[0] || missing[1])
		code = gemp_filter_fill(site, false, out);
	else if (expr->kind == GEMP_CONTAINS || expr->kind == GEMP_STARTS_WITH || expr->kind == GEMP_ENDS_WITH)
		code = gemp_filter_parts(site, expr->kind, negated, &side[0], &side[1], out);
	else
		code = gemp_filter_compare(site, expr->kind, negated, &side[0], &side[1], out);
done:
	for (int i = 0; i < 2; i++)
		if (owned[i])
			gemp_operand_free(&side[i], site->device);
	return code;
}

static gemp_code evaluate_null(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	bool wanted = (expr->kind == GEMP_IS_NULL) != negated;
	int id = id_of(expr->children[0]);
	gemp_operand operand;
	if (id == NOTHING)
		return gemp_filter_fill(&filter->site, wanted, out);
	gemp_code code = need_column(filter, id, &operand);
	return code == GEMP_OK ? gemp_filter_null(&filter->site, wanted, &operand, &operand, out) : code;
}

static gemp_code evaluate_label(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	gemp_buffer has = { 0 };
	gemp_device *device = filter->site.device;
	GEMP_TRY(need_label_set(filter));
	GEMP_TRY(gemp_buffer_new(&has, device, filter->rows->label_set_count * sizeof *expr->label_sets,
	                         expr->label_sets));
	GEMP_TRY(gemp_filter_label(&filter->site, negated, &filter->label_set, &has, out));
done:
	gemp_buffer_free(&has, device);
	return code;
}

/* An attribute that stands alone is true if it is the boolean true. */
static gemp_code evaluate_truth(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	int id = id_of(expr);
	gemp_operand operand, truth = { 0 };
	if (id == NOTHING || column_at(filter, id)->type != GEMP_BOOLEAN)
		return gemp_filter_fill(&filter->site, false, out);
	GEMP_TRY(need_column(filter, id, &operand));
	gemp_value value = { .type = GEMP_BOOLEAN, .truth = !negated };
	GEMP_TRY(gemp_operand_literals(&truth, filter->site.device, GEMP_BOOLEAN, &value, 1));
	GEMP_TRY(gemp_filter_compare(&filter->site, GEMP_EQ, false, &operand, &truth, out));
done:
	gemp_operand_free(&truth, filter->site.device);
	return code;
}

static int compare_values(const void *a, const void *b)
{
	bool comparable;
	return gemp_value_compare(a, b, &comparable);
}

/* The literals of `expr` of one type, ascending, each once; picked has room for all. */
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

/* Among the literals of one type. */
static gemp_code evaluate_in_type(gemp_filter *filter, const gemp_expr *expr, bool negated, int id, gemp_type type,
                                  const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	gemp_value *picked = NULL;
	gemp_operand operand, list = { 0 };
	GEMP_TRY(GEMP_NEW(picked, expr->count));
	size_t count = pick_literals(expr, type, picked);
	GEMP_TRY(need_column(filter, id, &operand));
	GEMP_TRY(gemp_operand_literals(&list, filter->site.device, type, picked, count));
	GEMP_TRY(gemp_filter_in(&filter->site, negated, &operand, &list, count, out));
done:
	gemp_operand_free(&list, filter->site.device);
	gemp_free(picked);
	return code;
}

static bool has_null(const gemp_expr *expr)
{
	for (size_t i = 1; i < expr->count; i++)
		if (expr->children[i]->value.null)
			return true;
	return false;
}

static gemp_code evaluate_in(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	int id = id_of(expr->children[0]);
	gemp_device *device = filter->site.device;
	gemp_buffer other = { 0 };
	if (expr->count == 1) /* in nothing: known to be false, also for NULL */
		return gemp_filter_fill(&filter->site, negated, out);
	if (id == NOTHING || (negated && has_null(expr)))
		return gemp_filter_fill(&filter->site, false, out);
	gemp_type type = column_at(filter, id)->type;
	GEMP_TRY(evaluate_in_type(filter, expr, negated, id, type, out));
	if (type == GEMP_INTEGER || type == GEMP_FLOAT) {
		gemp_type second = type == GEMP_INTEGER ? GEMP_FLOAT : GEMP_INTEGER;
		GEMP_TRY(gemp_buffer_new(&other, device, out->size, NULL));
		GEMP_TRY(evaluate_in_type(filter, expr, negated, id, second, &other));
		GEMP_TRY(gemp_filter_combine(&filter->site, !negated, &other, out));
	}
done:
	gemp_buffer_free(&other, device);
	return code;
}

static uint64_t any_element(void *context, int variable, bool edge)
{
	(void)context;
	(void)variable;
	(void)edge;
	return 0;
}

/* Not a word about the vertex: literals, or the vertex compared with itself. */
static gemp_code evaluate_constant(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	const gemp_scope nothing = { .element = any_element };
	gemp_expr *child = (gemp_expr *)(uintptr_t)expr;
	const gemp_expr not = { .kind = GEMP_NOT, .count = 1, .children = &child };
	return gemp_filter_fill(&filter->site, gemp_expr_is_true(negated ? &not : expr, &nothing), out);
}

static bool reads_vertex(const gemp_expr *expr)
{
	if (expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY || expr->kind == GEMP_HAS_LABEL)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (reads_vertex(expr->children[i]))
			return true;
	return false;
}

static gemp_code evaluate(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out);

/* AND is known to be false where one child is. */
static gemp_code evaluate_junction(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	gemp_code code = GEMP_OK;
	gemp_buffer other = { 0 };
	bool or = (expr->kind == GEMP_OR) != negated;
	if (expr->count == 0)
		return gemp_filter_fill(&filter->site, !or, out);
	GEMP_TRY(evaluate(filter, expr->children[0], negated, out));
	for (size_t i = 1; i < expr->count; i++) {
		if (!other.mem)
			GEMP_TRY(gemp_buffer_new(&other, filter->site.device, out->size, NULL));
		GEMP_TRY(evaluate(filter, expr->children[i], negated, &other));
		GEMP_TRY(gemp_filter_combine(&filter->site, or, &other, out));
	}
done:
	gemp_buffer_free(&other, filter->site.device);
	return code;
}

static gemp_code evaluate(gemp_filter *filter, const gemp_expr *expr, bool negated, const gemp_buffer *out)
{
	if (!reads_vertex(expr))
		return evaluate_constant(filter, expr, negated, out);
	switch (expr->kind) {
	case GEMP_NOT:
		return evaluate(filter, expr->children[0], !negated, out);
	case GEMP_AND:
	case GEMP_OR:
		return evaluate_junction(filter, expr, negated, out);
	case GEMP_HAS_LABEL:
		return evaluate_label(filter, expr, negated, out);
	case GEMP_IS_NULL:
	case GEMP_IS_NOT_NULL:
		return evaluate_null(filter, expr, negated, out);
	case GEMP_IN:
		return evaluate_in(filter, expr, negated, out);
	case GEMP_ATTRIBUTE:
	case GEMP_KEY:
		return evaluate_truth(filter, expr, negated, out);
	default:
		return evaluate_pair(filter, expr, negated, out);
	}
}

gemp_code gemp_filter_evaluate(gemp_filter *filter, const gemp_filter_rows *rows, const gemp_condition *const *conditions,
                               size_t count, uint32_t *bitmap)
{
	gemp_code code = GEMP_OK;
	gemp_device *device = filter->site.device;
	gemp_buffer out = { 0 }, other = { 0 };
	if (rows->rows == 0)
		return GEMP_OK;
	if (!filter->tagged || filter->tag != rows->tag)
		forget_columns(filter);
	filter->tag = rows->tag;
	filter->tagged = true;
	filter->rows = rows;
	filter->site.rows = (cl_uint)rows->rows;
	filter->site.words = (rows->rows + 31) / 32;
	size_t size = filter->site.words * sizeof *bitmap;
	GEMP_TRY(gemp_buffer_new(&out, device, size, NULL));
	GEMP_TRY(gemp_buffer_new(&other, device, size, NULL));
	GEMP_TRY(gemp_filter_fill(&filter->site, true, &out));
	for (size_t i = 0; i < count; i++) {
		GEMP_TRY(evaluate(filter, conditions[i]->expr, false, &other));
		GEMP_TRY(gemp_filter_combine(&filter->site, false, &other, &out));
	}
	GEMP_TRY(gemp_buffer_read(device, &out, 0, size, bitmap));
done:
	gemp_buffer_free(&other, device);
	gemp_buffer_free(&out, device);
	filter->rows = NULL;
	return code;
}
