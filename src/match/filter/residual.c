#include "match/filter/residual.h"

#include "core/bitset.h"
#include "match/filter/row_test.h"
#include "match/filter/row_values.h"

#include <string.h>

typedef struct residual {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_condition *const *conditions;
	size_t condition_count;
	gemp_filter *filter;
	gemp_sink *next;
	gemp_row_store rows;
	gemp_row_values values;
	gemp_column label_lists; /* one list for each label set */
	size_t row;              /* the row that is evaluated now */
	uint64_t tag;            /* tag of the values on the device */
	gemp_residual_figures figures;
} residual;

/* The function `source` of gemp_row_view. The values of sub-queries are columns of the rows themselves. */
static bool source_of(void *context, const gemp_expr *expr, gemp_row_source *out)
{
	const residual *r = context;
	int column;
	*out = (gemp_row_source){ 0 };
	switch (expr->kind) {
	case GEMP_EXISTS:
	case GEMP_COUNT_OF:
		GEMP_CHECK(expr->sub < r->rows.value_count);
		out->column = &r->rows.values[expr->sub];
		return true;
	case GEMP_TYPE: *out = gemp_row_values_of_edge(&r->values, expr); return true;
	case GEMP_KEY:
	case GEMP_DEGREE:
	case GEMP_ATTRIBUTE:
		if (expr->of_edge)
			*out = gemp_row_values_of_edge(&r->values, expr);
		else if (gemp_row_values_column(&r->values, expr, &column))
			*out = gemp_row_values_of_vertex(&r->values, expr->variable, column);
		return true;
	default: return false;
	}
}

/* CONDITIONS ON ONE VERTEX, which the filter evaluates. */

/* Clears keep[row] if a condition on this vertex is not true. Only images in rows that are still kept are evaluated. */
static gemp_code test_vertex(residual *r, int vertex, const gemp_condition *const *conditions, size_t count,
                             uint8_t *keep)
{
	const gemp_row_group *group = &r->values.groups[r->values.group_of[vertex]];
	const uint32_t *place = gemp_row_values_places(&r->values, group, vertex);
	GEMP_OWNED const gemp_column **columns = NULL;
	GEMP_OWNED uint32_t *bitmap = NULL, *among = NULL, *label_set = NULL;
	gemp_filter_rows rows = {
		.tag = r->tag, .rows = group->distinct_count, .residual = true, .repeated = r->values.copy_each
	};
	GEMP_TRY(GEMP_NEW(columns, r->graph->attributes.count));
	GEMP_TRY(GEMP_NEW(bitmap, gemp_bits32_words(group->distinct_count)));
	GEMP_TRY(GEMP_NEW(among, gemp_bits32_words(group->distinct_count)));
	for (size_t row = 0; row < r->rows.rows; row++)
		among[place[row] / 32] |= (uint32_t)keep[row] << place[row] % 32;
	rows.among = among;
	for (size_t c = 0; c < group->column_count; c++)
		if (group->column[c] >= (int)r->graph->attributes.count) {
			continue; /* a degree, which test_on_rows evaluates */
		} else if (group->column[c] >= 0) {
			columns[group->column[c]] = &group->values[c];
		} else if (group->column[c] == GEMP_FETCH_KEY) {
			rows.key = &group->values[c];
		} else {
			GEMP_TRY(GEMP_NEW(label_set, group->distinct_count));
			for (size_t i = 0; i < group->distinct_count; i++)
				label_set[i] = (uint32_t)group->values[c].integers[i];
		}
	rows.columns = columns;
	rows.label_set = label_set;
	rows.label_set_count = r->graph->label_set_count;
	GEMP_TRY(gemp_filter_evaluate(r->filter, &rows, conditions, count, bitmap));
	const double began = gemp_now();
	for (size_t row = 0; row < r->rows.rows; row++)
		keep[row] &= (uint8_t)(gemp_bits32_test(bitmap, place[row]));
	gemp_timers_add(&r->context->timers, GEMP_PHASE_SELECT, began);
	return GEMP_OK;
}

/* True if the expression reads values that the filter cannot read: sub-queries, lists of labels, degrees. */
static bool needs_host_rows(const gemp_expr *expr)
{
	if (expr->kind == GEMP_EXISTS || expr->kind == GEMP_COUNT_OF || expr->kind == GEMP_LABELS ||
	    expr->kind == GEMP_DEGREE)
		return true;
	for (size_t i = 0; i < expr->count; i++)
		if (needs_host_rows(expr->children[i]))
			return true;
	return false;
}

/* True if the filter evaluates the condition. It then does so once for each distinct image of the condition's only
 * vertex. */
static bool by_filter(const residual *r, const gemp_condition *condition)
{
	return r->filter && condition->edges == 0 && __builtin_popcountll(condition->vertices) == 1 &&
	       r->values.group_of[__builtin_ctzll(condition->vertices)] >= 0 && !needs_host_rows(condition->expr);
}

/* Each group has its own values and therefore its own tag. Columns are copied once for all conditions with one tag. */
static gemp_code test_by_filter(residual *r, uint8_t *keep)
{
	GEMP_OWNED const gemp_condition **mine = NULL;
	GEMP_TRY(GEMP_NEW(mine, r->condition_count));
	for (size_t g = 0; g < r->values.group_count; g++) {
		r->tag = gemp_filter_next_tag(r->filter);
		for (uint64_t left = r->values.groups[g].members; left; left &= left - 1) {
			int vertex = __builtin_ctzll(left);
			size_t count = 0;
			for (size_t i = 0; i < r->condition_count; i++)
				if (by_filter(r, r->conditions[i]) && r->conditions[i]->vertices == UINT64_C(1) << vertex)
					mine[count++] = r->conditions[i];
			if (count)
				GEMP_TRY(test_vertex(r, vertex, mine, count, keep));
		}
	}
	return GEMP_OK;
}

/* The value of the current row; NULL if the source has no column. */
static gemp_value look_up(const residual *r, gemp_row_source source)
{
	if (!source.column)
		return (gemp_value){ .null = true };
	return gemp_column_get(source.column, source.index ? source.index[r->row] : r->row);
}

static uint32_t scope_label_set(void *context, int variable)
{
	const residual *r = context;
	return (uint32_t)look_up(r, gemp_row_values_of_vertex(&r->values, variable, GEMP_FETCH_LABEL_SET)).integer;
}

/* The value of an expression for the current row. */
static gemp_value scope_value(void *context, const gemp_expr *expr)
{
	const residual *r = context;
	gemp_row_source source;
	if (expr->kind == GEMP_LITERAL)
		return expr->value;
	if (expr->kind == GEMP_LABELS)
		return gemp_column_get(&r->label_lists, scope_label_set(context, expr->variable));
	GEMP_CHECK(source_of(context, expr, &source));
	return look_up(r, source);
}

/* Elements are compared by id, which all ranks know. */
static uint64_t scope_element(void *context, int variable, bool edge)
{
	const residual *r = context;
	if (edge)
		return r->rows.edges[r->row * (size_t)r->rows.edge_count + (size_t)variable];
	return r->rows.vertices[r->row * (size_t)r->rows.vertex_count + (size_t)variable];
}

static void scope_at(void *context, size_t row)
{
	((residual *)context)->row = row;
}

/* gemp_row_test evaluates columns in blocks, and other expressions row by row. */
static gemp_code test_on_rows(residual *r, const gemp_condition *condition, uint8_t *keep)
{
	const gemp_row_view view = {
		.context = r,
		.source = source_of,
		.at = scope_at,
		.scope = { .context = r, .value = scope_value, .element = scope_element, .label_set = scope_label_set },
	};
	return gemp_row_test(&view, condition->expr, 0, r->rows.rows, keep);
}

/* Local. Clears keep[row] if a condition is not true. */
static gemp_code test_conditions(residual *r, uint8_t *keep)
{
	if (r->filter)
		GEMP_TRY(test_by_filter(r, keep));
	for (size_t i = 0; i < r->condition_count; i++)
		if (!by_filter(r, r->conditions[i]))
			GEMP_TRY(test_on_rows(r, r->conditions[i], keep));
	return GEMP_OK;
}

/* Local. Drops the rows for which a condition is not true. Copies to a device and the result of a kernel have phases of
 * their own. */
static gemp_code test_rows(residual *r)
{
	GEMP_OWNED uint8_t *keep = NULL;
	gemp_timers *timers = &r->context->timers;
	if (r->rows.rows == 0)
		return GEMP_OK;
	double began = gemp_now();
	const double before = gemp_timers_sum(timers);
	GEMP_TRY(GEMP_NEW(keep, r->rows.rows));
	memset(keep, 1, r->rows.rows);
	GEMP_TRY(test_conditions(r, keep));
	began = gemp_timers_add_rest(timers, GEMP_PHASE_RESIDUAL, began, before);
	gemp_row_store_keep(&r->rows, keep);
	gemp_timers_add(timers, GEMP_PHASE_SELECT, began);
	return GEMP_OK;
}

/* Rows are stored until the end of the round, when their values are fetched collectively. */
static gemp_code residual_consume(void *self, const gemp_batch *batch)
{
	residual *r = self;
	return gemp_row_store_add(&r->rows, batch, batch->rows);
}

/* Collective. Fetches the round's values, tests the rows, and passes the rows that remain to the next sink. An empty
 * batch is not passed on, since sinks learn from the first batch which columns exist. */
static gemp_code residual_end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_code code = GEMP_OK;
	residual *r = self;
	const double began = gemp_now(), before = gemp_timers_sum(&r->context->timers);
	r->figures.referred += r->rows.rows * r->values.mentions;
	r->figures.tested += r->rows.rows;
	GEMP_TRY_DONE(gemp_row_values_fetch(&r->values, &r->rows));
	r->figures.host_bytes = gemp_max(r->figures.host_bytes, gemp_row_values_bytes(&r->values));
	gemp_timers_add_rest(&r->context->timers, GEMP_PHASE_VALUES, began, before);
	code = test_rows(r);
	r->figures.kept += r->rows.rows;
	const gemp_batch batch = gemp_row_store_batch(&r->rows);
	if (batch.rows)
		GEMP_THEN(r->next->consume(r->next->self, &batch));
	GEMP_TRY_DONE(gemp_comm_agree(r->context->comm, code));
	gemp_row_store_clear(&r->rows);
	code = r->next->end_round(r->next->self, last, enough, again);
done:
	gemp_row_values_reset(&r->values);
	return code;
}

static void residual_free(void *self)
{
	residual *r = self;
	if (!r)
		return;
	gemp_row_values_free(&r->values);
	gemp_column_free(&r->label_lists);
	gemp_row_store_free(&r->rows);
	gemp_free(r);
}

GEMP_RELEASE(residual_free, residual *)

gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next)
{
	GEMP_OWNED_BY(residual_free_at) residual *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (residual){ .context = context, .graph = graph, .filter = filter, .next = next };
	r->conditions = conditions;
	r->condition_count = count;
	GEMP_TRY(gemp_row_values_new(&r->values, context, graph, conditions, count));
	GEMP_TRY(gemp_label_list_column(&r->label_lists, graph));
	r->values.count_loops = count_loops;
	*out = (gemp_sink){
		.self = r, .consume = residual_consume, .end_round = residual_end_round, .free = residual_free
	};
	r = NULL;
	return GEMP_OK;
}

void gemp_residual_copy_each(gemp_sink *sink)
{
	residual *r = sink->self;
	r->values.copy_each = true;
}

gemp_residual_figures gemp_residual_figures_of(const gemp_sink *sink)
{
	const residual *r = sink->self;
	gemp_residual_figures figures = r->figures;
	figures.copied = r->values.copied;
	figures.copied_bytes = r->values.copied_bytes;
	figures.device_bytes = r->filter ? gemp_filter_residual_peak(r->filter) : 0;
	return figures;
}
