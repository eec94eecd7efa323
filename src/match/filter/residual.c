#include "match/filter/residual.h"

#include "core/bitset.h"
#include "match/filter/row_values.h"
#include "match/filter/vertex_values.h"

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
	gemp_column label_lists; /* [label sets] */
	size_t row;              /* looked at by the scope */
	uint64_t referred, evaluations;
} residual;

/* ON THE DEVICE: conditions on one vertex */

/* Rows of which a condition on this vertex is not true are dropped from keep. */
static gemp_code test_vertex(residual *r, int vertex, const gemp_condition *const *conditions, size_t count,
                             uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	const gemp_row_group *group = &r->values.groups[r->values.group_of[vertex]];
	const uint32_t *place = gemp_row_group_place(&r->values, group, vertex);
	const gemp_column **columns = NULL;
	uint32_t *bitmap = NULL, *among = NULL, *label_set = NULL;
	gemp_filter_rows rows = { .tag = r->evaluations, .rows = group->distinct_count };
	GEMP_TRY(GEMP_NEW(columns, r->graph->attributes.count));
	GEMP_TRY(GEMP_NEW(bitmap, gemp_bits32_words(group->distinct_count)));
	GEMP_TRY(GEMP_NEW(among, gemp_bits32_words(group->distinct_count)));
	for (size_t row = 0; row < r->rows.rows; row++)
		among[place[row] / 32] |= (uint32_t)keep[row] << place[row] % 32;
	rows.among = among;
	for (size_t c = 0; c < group->column_count; c++)
		if (group->column[c] >= (int)r->graph->attributes.count) {
			continue; /* a degree, of another condition */
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
	for (size_t row = 0; row < r->rows.rows; row++)
		keep[row] &= (uint8_t)(gemp_bits32_test(bitmap, place[row]));
done:
	gemp_free_all(columns, bitmap, among, label_set);
	return code;
}

/* Does the expression ask for values that kernels cannot read: sub-queries, lists of labels, degrees? */
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

/* Conditions on one vertex are evaluated for its distinct images on the device. */
static bool on_device(const residual *r, const gemp_condition *condition)
{
	return r->filter && condition->edges == 0 && __builtin_popcountll(condition->vertices) == 1 &&
	       r->values.group_of[__builtin_ctzll(condition->vertices)] >= 0 && !needs_host_rows(condition->expr);
}

/* Groups have values of their own, and so a tag: columns are copied once for all conditions of a group. */
static gemp_code test_on_device(residual *r, uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	const gemp_condition **mine = NULL;
	GEMP_TRY(GEMP_NEW(mine, r->condition_count));
	for (size_t g = 0; g < r->values.group_count; g++) {
		r->evaluations++; /* a tag of its own: new values */
		for (uint64_t left = r->values.groups[g].members; left; left &= left - 1) {
			int vertex = __builtin_ctzll(left);
			size_t count = 0;
			for (size_t i = 0; i < r->condition_count; i++)
				if (on_device(r, r->conditions[i]) && r->conditions[i]->vertices == UINT64_C(1) << vertex)
					mine[count++] = r->conditions[i];
			if (count)
				GEMP_TRY(test_vertex(r, vertex, mine, count, keep));
		}
	}
done:
	gemp_free(mine);
	return code;
}

/* ON THE HOST */

static bool source_of(void *context, const gemp_expr *expr, gemp_row_source *out)
{
	const residual *r = context;
	return gemp_row_values_source(&r->values, &r->rows, expr, out);
}

/* NULL where no row has a value. */
static gemp_value look_up(const residual *r, gemp_row_source source)
{
	if (!source.column)
		return (gemp_value){ .null = true };
	return gemp_column_get(source.column, source.index ? source.index[r->row] : r->row);
}

static uint32_t scope_label_set(void *context, int variable)
{
	const residual *r = context;
	return (uint32_t)look_up(r, gemp_row_values_label_set(&r->values, variable)).integer;
}

/* Values come from columns of distinct elements, at the row that is looked at. */
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

static gemp_code test_on_host(residual *r, const gemp_condition *condition, uint8_t *keep)
{
	const gemp_row_view view = {
		.rows = r->rows.rows,
		.context = r,
		.source = source_of,
		.at = scope_at,
		.scope = { .context = r, .value = scope_value, .element = scope_element, .label_set = scope_label_set },
	};
	return gemp_row_test(&view, condition->expr, keep);
}

/* Drops the rows for which some condition is not true. Local. */
static gemp_code test(residual *r)
{
	GEMP_OWNED uint8_t *keep = NULL;
	if (r->rows.rows == 0)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_NEW(keep, r->rows.rows));
	memset(keep, 1, r->rows.rows);
	if (r->filter)
		GEMP_PROPAGATE(test_on_device(r, keep));
	for (size_t i = 0; i < r->condition_count; i++)
		if (!on_device(r, r->conditions[i]))
			GEMP_PROPAGATE(test_on_host(r, r->conditions[i], keep));
	gemp_row_store_keep(&r->rows, keep);
	return GEMP_OK;
}

/* THE SINK */

static gemp_code residual_consume(void *self, const gemp_batch *batch)
{
	residual *r = self;
	return gemp_row_store_add(&r->rows, batch, batch->rows);
}

static gemp_code forward_rows(residual *r)
{
	gemp_batch batch = gemp_row_store_batch(&r->rows);
	return batch.rows ? r->next->consume(r->next->self, &batch) : GEMP_OK;
}

/* The sequence of a round: fetch values, test rows, hand on those that passed. */
static gemp_code residual_end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_code code = GEMP_OK;
	residual *r = self;
	double began = gemp_now();
	r->referred += r->rows.rows * r->values.mentions;
	GEMP_TRY(gemp_row_values_fetch(&r->values, &r->rows));
	code = test(r);
	gemp_timers_add(&r->context->timers, GEMP_PHASE_ATTRIBUTES, began);
	GEMP_THEN(forward_rows(r));
	GEMP_TRY(gemp_comm_agree(r->context->comm, code));
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

/* Tags of evaluations start beyond those of other rows that the filter has seen. */
gemp_code gemp_residual_new(gemp_sink *out, gemp_runtime *context, gemp_shard *graph,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter,
                            bool count_loops, gemp_sink *next)
{
	gemp_code code = GEMP_OK;
	residual *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (residual){
		.context = context,
		.graph = graph,
		.conditions = conditions,
		.condition_count = count,
		.filter = filter,
		.next = next,
		.evaluations = UINT64_C(1) << 63,
	};
	GEMP_TRY(gemp_row_values_new(&r->values, context, graph, conditions, count));
	GEMP_TRY(gemp_label_list_column(&r->label_lists, graph));
	r->values.count_loops = count_loops;
	*out = (gemp_sink){
		.self = r, .consume = residual_consume, .end_round = residual_end_round, .free = residual_free
	};
	r = NULL;
done:
	residual_free(r);
	return code;
}

uint64_t gemp_residual_copied(const gemp_sink *sink)
{
	const residual *r = sink->self;
	return r->values.copied;
}

uint64_t gemp_residual_referred(const gemp_sink *sink)
{
	const residual *r = sink->self;
	return r->referred;
}
