#include "match/residual.h"

#include "core/memory.h"
#include "match/edge_values.h"
#include "match/row_store.h"
#include "match/values.h"

#include <string.h>

/* Pattern vertices whose conditions ask for the same columns: their images are fetched together. */
typedef struct group {
	uint64_t members;     /* pattern vertices */
	size_t column_count;
	int *column;          /* [column_count] ascending, as gemp_fetch takes them */
	gemp_vertex *found;   /* [found_count], this turn */
	size_t found_count;
	gemp_column *values;  /* [column_count], this turn */
} group;

typedef struct residual {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	const gemp_condition *const *conditions;
	size_t condition_count;
	gemp_filter *filter;
	gemp_sink *next;
	gemp_row_store rows;
	size_t group_count;
	group groups[GEMP_MAX_PATTERN_VERTICES];
	int group_of[GEMP_MAX_PATTERN_VERTICES]; /* -1: nothing is asked about this vertex */
	uint64_t edges;              /* bit e: attributes of pattern edge e are asked for */
	size_t name_count, name_capacity;
	const char **names;          /* [name_count] of edge attributes, borrowed from the conditions */
	gemp_edge_values edge_values; /* this turn */
	uint64_t mentions;           /* attributes mentioned by the conditions */
	uint64_t copied, referred, evaluations;
} residual;

/* WHAT IS ASKED FOR */

static gemp_code need_name(residual *r, const char *name)
{
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < r->name_count; i++)
		if (strcmp(r->names[i], name) == 0)
			return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(r->names, r->name_capacity, r->name_count + 1));
	r->names[r->name_count++] = name;
done:
	return code;
}

/* The column an expression reads of its vertex; false: none. */
static bool column_of(const gemp_expr *expr, int *column)
{
	if (expr->variable < 0 || expr->of_edge)
		return false;
	*column = expr->kind == GEMP_KEY ? GEMP_FETCH_KEY
	        : expr->kind == GEMP_HAS_LABEL ? GEMP_FETCH_LABEL_SET : expr->attribute;
	return expr->kind == GEMP_KEY || expr->kind == GEMP_HAS_LABEL ||
	       (expr->kind == GEMP_ATTRIBUTE && expr->attribute >= 0);
}

typedef struct needs {
	size_t columns;  /* 3 + attributes of the graph */
	bool *needed;    /* [GEMP_MAX_PATTERN_VERTICES * columns] by column + 3 */
} needs;

static gemp_code note(residual *r, const gemp_expr *expr, needs *needs)
{
	gemp_code code = GEMP_OK;
	int column;
	if (column_of(expr, &column))
		needs->needed[(size_t)expr->variable * needs->columns + (size_t)(column + 3)] = true;
	if (expr->kind == GEMP_ATTRIBUTE && expr->of_edge) {
		r->edges |= UINT64_C(1) << expr->variable;
		GEMP_TRY(need_name(r, expr->name));
	}
	r->mentions += expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY;
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(note(r, expr->children[i], needs));
done:
	return code;
}

static gemp_code join_group(residual *r, int vertex, const needs *needs)
{
	const bool *mine = needs->needed + (size_t)vertex * needs->columns;
	size_t count = 0;
	for (size_t c = 0; c < needs->columns; c++)
		count += mine[c];
	r->group_of[vertex] = -1;
	if (count == 0)
		return GEMP_OK;
	for (size_t g = 0; g < r->group_count; g++) {
		int other = __builtin_ctzll(r->groups[g].members);
		if (memcmp(mine, needs->needed + (size_t)other * needs->columns, needs->columns) == 0) {
			r->groups[g].members |= UINT64_C(1) << vertex;
			r->group_of[vertex] = (int)g;
			return GEMP_OK;
		}
	}
	group *added = &r->groups[r->group_count];
	r->group_of[vertex] = (int)r->group_count++;
	added->members = UINT64_C(1) << vertex;
	if (GEMP_NEW(added->column, count) != GEMP_OK || GEMP_NEW(added->values, count) != GEMP_OK)
		return GEMP_ENOMEM;
	for (size_t c = 0; c < needs->columns; c++)
		if (mine[c])
			added->column[added->column_count++] = (int)c - 3;
	return GEMP_OK;
}

static gemp_code find_needs(residual *r)
{
	gemp_code code = GEMP_OK;
	needs needs = { .columns = 3 + r->graph->attributes.count };
	GEMP_TRY(GEMP_NEW(needs.needed, GEMP_MAX_PATTERN_VERTICES * needs.columns));
	for (size_t i = 0; i < r->condition_count; i++)
		GEMP_TRY(note(r, r->conditions[i]->expr, &needs));
	for (int v = 0; v < (int)r->pattern->vertex_count; v++)
		GEMP_TRY(join_group(r, v, &needs));
done:
	gemp_free(needs.needed);
	return code;
}

/* FETCHING */

static void forget_values(residual *r)
{
	for (size_t g = 0; g < r->group_count; g++) {
		group *group = &r->groups[g];
		for (size_t c = 0; c < group->column_count; c++)
			gemp_column_free(&group->values[c]);
		gemp_free(group->found);
		group->found = NULL;
		group->found_count = 0;
	}
	gemp_edge_values_free(&r->edge_values);
}

/* The images, in all rows, of the pattern vertices whose bits are set, gathered into a block that the caller frees. */
static gemp_code gather_vertices(const residual *r, uint64_t members, gemp_vertex **out, size_t *count)
{
	gemp_code code = GEMP_OK;
	size_t n = 0, width = (size_t)r->rows.vertex_count;
	GEMP_TRY(GEMP_NEW(*out, r->rows.rows * (size_t)__builtin_popcountll(members)));
	for (size_t row = 0; row < r->rows.rows; row++)
		for (uint64_t left = members; left; left &= left - 1)
			(*out)[n++] = r->rows.vertices[row * width + (size_t)__builtin_ctzll(left)];
	*count = n;
	code = gemp_sort_distinct(*out, count);
done:
	return code;
}

/* Collective. */
static gemp_code fetch_group(residual *r, group *group)
{
	gemp_code code = GEMP_OK;
	gemp_vertex *ids = NULL;
	size_t count = 0;
	code = gather_vertices(r, group->members, &ids, &count);
	GEMP_TRY(gemp_comm_agree(r->context->comm, code));
	GEMP_TRY(gemp_fetch(r->context, r->graph, ids, count, group->column, group->column_count, &group->found,
	                    &group->found_count, group->values));
	for (size_t c = 0; c < group->column_count; c++)
		r->copied += group->column[c] == GEMP_FETCH_LABEL_SET ? 0 : group->found_count;
done:
	gemp_free(ids);
	return code;
}

/* Collective. */
static gemp_code fetch_edge_values(residual *r)
{
	gemp_code code = GEMP_OK;
	gemp_edge *edges = NULL;
	size_t n = 0, width = (size_t)r->rows.edge_count;
	GEMP_CHECK(r->rows.rows == 0 || (r->rows.edges && width > (size_t)(63 - __builtin_clzll(r->edges))));
	code = GEMP_NEW(edges, r->rows.rows * (size_t)__builtin_popcountll(r->edges));
	GEMP_TRY(gemp_comm_agree(r->context->comm, code));
	for (size_t row = 0; row < r->rows.rows; row++)
		for (uint64_t left = r->edges; left; left &= left - 1)
			edges[n++] = r->rows.edges[row * width + (size_t)__builtin_ctzll(left)];
	GEMP_TRY(gemp_fetch_edges(&r->edge_values, r->context, r->graph, edges, n, r->names, r->name_count));
	r->copied += r->edge_values.count * r->name_count;
done:
	gemp_free(edges);
	return code;
}

/* TESTING */

static size_t column_index(const group *group, int column)
{
	size_t c = 0;
	while (group->column[c] != column)
		c++;
	return c;
}

/* On the device: rows of which a condition on this one vertex is not true are dropped from keep. */
static gemp_code test_vertex(residual *r, int vertex, const gemp_condition *const *conditions, size_t count, uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	const group *group = &r->groups[r->group_of[vertex]];
	const gemp_column **columns = NULL;
	uint32_t *bitmap = NULL, *label_set = NULL;
	gemp_filter_rows rows = { .tag = r->evaluations, .rows = group->found_count };
	GEMP_TRY(GEMP_NEW(columns, r->graph->attributes.count));
	GEMP_TRY(GEMP_NEW(bitmap, (group->found_count + 31) / 32));
	for (size_t c = 0; c < group->column_count; c++)
		if (group->column[c] >= 0) {
			columns[group->column[c]] = &group->values[c];
		} else if (group->column[c] == GEMP_FETCH_KEY) {
			rows.key = &group->values[c];
		} else {
			GEMP_TRY(GEMP_NEW(label_set, group->found_count));
			for (size_t i = 0; i < group->found_count; i++)
				label_set[i] = (uint32_t)group->values[c].integers[i];
		}
	rows.columns = columns;
	rows.label_set = label_set;
	rows.label_set_count = r->graph->label_set_count;
	if (group->found_count)
		GEMP_TRY(gemp_filter_evaluate(r->filter, &rows, conditions, count, bitmap));
	for (size_t row = 0; row < r->rows.rows; row++) {
		gemp_vertex id = r->rows.vertices[row * (size_t)r->rows.vertex_count + (size_t)vertex];
		size_t at = gemp_fetch_index(group->found, group->found_count, id);
		keep[row] &= (uint8_t)(bitmap[at / 32] >> at % 32 & 1);
	}
done:
	gemp_free(columns);
	gemp_free(bitmap);
	gemp_free(label_set);
	return code;
}

typedef struct row_scope {
	const residual *r;
	size_t row;
} row_scope;

static gemp_vertex vertex_at(const row_scope *at, int variable)
{
	return at->r->rows.vertices[at->row * (size_t)at->r->rows.vertex_count + (size_t)variable];
}

static gemp_value fetched(const row_scope *at, int variable, int column)
{
	const group *group = &at->r->groups[at->r->group_of[variable]];
	size_t i = gemp_fetch_index(group->found, group->found_count, vertex_at(at, variable));
	return gemp_column_get(&group->values[column_index(group, column)], i);
}

static uint64_t scope_element(void *context, int variable, bool edge)
{
	const row_scope *at = context;
	if (edge)
		return at->r->rows.edges[at->row * (size_t)at->r->rows.edge_count + (size_t)variable];
	return vertex_at(at, variable);
}

static gemp_value scope_value(void *context, const gemp_expr *expr)
{
	const row_scope *at = context;
	int column;
	if (expr->kind == GEMP_LITERAL)
		return expr->value;
	if (column_of(expr, &column))
		return fetched(at, expr->variable, column);
	if (expr->kind != GEMP_ATTRIBUTE || !expr->of_edge)
		return (gemp_value){ .null = true }; /* an attribute that no vertex has */
	const gemp_edge_values *edges = &at->r->edge_values;
	size_t c = 0;
	while (strcmp(at->r->names[c], expr->name) != 0)
		c++;
	return gemp_column_get(&edges->columns[c], gemp_edge_values_index(edges, scope_element(context, expr->variable, true)));
}

static uint32_t scope_label_set(void *context, int variable)
{
	return (uint32_t)fetched(context, variable, GEMP_FETCH_LABEL_SET).integer;
}

static void test_rows(const residual *r, const gemp_condition *condition, uint8_t *keep)
{
	row_scope at = { .r = r };
	gemp_scope scope = {
		.context = &at, .value = scope_value, .element = scope_element, .label_set = scope_label_set,
	};
	for (at.row = 0; at.row < r->rows.rows; at.row++)
		if (keep[at.row] && !gemp_expr_is_true(condition->expr, &scope))
			keep[at.row] = 0;
}

static bool on_device(const residual *r, const gemp_condition *condition)
{
	return r->filter && condition->edges == 0 && __builtin_popcountll(condition->vertices) == 1 &&
	       r->group_of[__builtin_ctzll(condition->vertices)] >= 0;
}

static gemp_code test_on_device(residual *r, uint8_t *keep)
{
	gemp_code code = GEMP_OK;
	const gemp_condition **mine = NULL;
	GEMP_TRY(GEMP_NEW(mine, r->condition_count));
	for (size_t g = 0; g < r->group_count; g++) {
		r->evaluations++; /* a tag of its own: new values */
		for (uint64_t left = r->groups[g].members; left; left &= left - 1) {
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

/* Drops the rows for which some condition is not true. Local. */
static gemp_code test(residual *r)
{
	gemp_code code = GEMP_OK;
	uint8_t *keep = NULL;
	if (r->rows.rows == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(keep, r->rows.rows));
	memset(keep, 1, r->rows.rows);
	if (r->filter)
		GEMP_TRY(test_on_device(r, keep));
	for (size_t i = 0; i < r->condition_count; i++)
		if (!on_device(r, r->conditions[i]))
			test_rows(r, r->conditions[i], keep);
	gemp_row_store_keep(&r->rows, keep);
done:
	gemp_free(keep);
	return code;
}

/* THE SINK */

static gemp_code residual_take(void *self, const gemp_batch *batch)
{
	residual *r = self;
	return gemp_row_store_add(&r->rows, batch, batch->rows);
}

static gemp_code hand_on(residual *r)
{
	gemp_batch batch = gemp_row_store_batch(&r->rows);
	return batch.rows ? r->next->take(r->next->self, &batch) : GEMP_OK;
}

static gemp_code residual_turn(void *self, bool last, bool *enough, bool *again)
{
	gemp_code code = GEMP_OK;
	residual *r = self;
	double began = gemp_now();
	r->referred += r->rows.rows * r->mentions;
	for (size_t g = 0; g < r->group_count; g++)
		GEMP_TRY(fetch_group(r, &r->groups[g]));
	if (r->edges)
		GEMP_TRY(fetch_edge_values(r));
	code = test(r);
	gemp_timers_add(&r->context->timers, GEMP_ATTRIBUTES, began);
	if (code == GEMP_OK)
		code = hand_on(r);
	GEMP_TRY(gemp_comm_agree(r->context->comm, code));
	gemp_row_store_clear(&r->rows);
	code = r->next->turn(r->next->self, last, enough, again);
done:
	forget_values(r);
	return code;
}

static void residual_free(void *self)
{
	residual *r = self;
	if (!r)
		return;
	forget_values(r);
	for (size_t g = 0; g < r->group_count; g++) {
		gemp_free(r->groups[g].column);
		gemp_free(r->groups[g].values);
	}
	gemp_row_store_free(&r->rows);
	gemp_free(r->names);
	gemp_free(r);
}

gemp_code gemp_residual_new(gemp_sink *out, gemp_context *context, gemp_graph *graph, const gemp_pattern *pattern,
                            const gemp_condition *const *conditions, size_t count, gemp_filter *filter, gemp_sink *next)
{
	gemp_code code = GEMP_OK;
	residual *r = NULL;
	GEMP_TRY(GEMP_NEW(r, 1));
	*r = (residual){
		.context = context, .graph = graph, .pattern = pattern, .conditions = conditions, .condition_count = count,
		.filter = filter, .next = next, .evaluations = UINT64_C(1) << 63,
	};
	GEMP_TRY(find_needs(r));
	*out = (gemp_sink){ .self = r, .take = residual_take, .turn = residual_turn, .free = residual_free };
	r = NULL;
done:
	residual_free(r);
	return code;
}

uint64_t gemp_residual_copied(const gemp_sink *sink)
{
	const residual *r = sink->self;
	return r->copied;
}

uint64_t gemp_residual_referred(const gemp_sink *sink)
{
	const residual *r = sink->self;
	return r->referred;
}
