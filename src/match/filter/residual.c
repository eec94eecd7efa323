#include "match/filter/residual.h"

#include "core/bitset.h"
#include "match/filter/row_test.h"

#include <string.h>

enum { SPECIAL = 3 }; /* number of columns with negative numbers in gemp_fetch_values */

/* The columns that conditions read of each pattern vertex. */
typedef struct needed_columns {
	size_t columns;
	bool *needed; /* [GEMP_MAX_PATTERN_VERTICES][columns] by pattern vertex and by column number + SPECIAL */
} needed_columns;

/* Adds an attribute name of edges unless the list has it. */
static gemp_code need_name(gemp_row_values *v, const char *name)
{
	for (size_t i = 0; i < v->name_count; i++)
		if (strcmp(v->names[i], name) == 0)
			return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(v->names, v->name_capacity, v->name_count + 1));
	v->names[v->name_count++] = name;
	return GEMP_OK;
}

/* Sets *column to the column that the expression reads of its vertex. Returns false if it reads no column. Columns of
 * degrees follow the columns of attributes. */
static bool column_of(const gemp_row_values *v, const gemp_expr *expr, int *column)
{
	if (expr->variable < 0 || expr->of_edge)
		return false;
	switch (expr->kind) {
	case GEMP_KEY: *column = GEMP_FETCH_KEY; return true;
	case GEMP_HAS_LABEL:
	case GEMP_LABELS: *column = GEMP_FETCH_LABEL_SET; return true;
	case GEMP_ATTRIBUTE: *column = expr->attribute; return expr->attribute >= 0;
	case GEMP_DEGREE:
		*column = (int)(v->graph->attributes.count + gemp_degree_columns_find(&v->degrees, expr));
		return true;
	default: return false;
	}
}

/* Notes the columns and edges that an expression reads. */
static gemp_code note_expr(gemp_row_values *v, const gemp_expr *expr, needed_columns *needs)
{
	int column;
	if (column_of(v, expr, &column))
		needs->needed[(size_t)expr->variable * needs->columns + (size_t)(column + SPECIAL)] = true;
	if (expr->kind == GEMP_TYPE || (expr->kind == GEMP_ATTRIBUTE && expr->of_edge))
		v->edges |= UINT64_C(1) << expr->variable;
	v->types |= expr->kind == GEMP_TYPE;
	if (expr->kind == GEMP_ATTRIBUTE && expr->of_edge)
		GEMP_TRY(need_name(v, expr->name));
	v->mentions += expr->kind == GEMP_ATTRIBUTE || expr->kind == GEMP_KEY;
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(note_expr(v, expr->children[i], needs));
	return GEMP_OK;
}

/* Adds a pattern vertex to the group of vertices of which the same columns are read. The images of a group are fetched
 * together, so an element that is the image of several pattern vertices is sent once. */
static gemp_code join_group(gemp_row_values *v, int vertex, const needed_columns *needs)
{
	const bool *mine = needs->needed + (size_t)vertex * needs->columns;
	size_t count = 0;
	for (size_t c = 0; c < needs->columns; c++)
		count += mine[c];
	v->group_of[vertex] = -1;
	if (count == 0)
		return GEMP_OK;
	for (size_t g = 0; g < v->group_count; g++) {
		int other = __builtin_ctzll(v->groups[g].members);
		if (memcmp(mine, needs->needed + (size_t)other * needs->columns, needs->columns) == 0) {
			v->groups[g].members |= UINT64_C(1) << vertex;
			v->group_of[vertex] = (int)g;
			return GEMP_OK;
		}
	}
	gemp_row_group *added = &v->groups[v->group_count];
	v->group_of[vertex] = (int)v->group_count++;
	added->members = UINT64_C(1) << vertex;
	GEMP_TRY(gemp_new_all(GEMP_ARRAY(added->column, count), GEMP_ARRAY(added->values, count)));
	for (size_t c = 0; c < needs->columns; c++)
		if (mine[c])
			added->column[added->column_count++] = (int)c - SPECIAL;
	return GEMP_OK;
}

/* Drops the values of a round. The index arrays keep their memory for the next round. */
static void row_values_reset(gemp_row_values *v)
{
	for (size_t g = 0; g < v->group_count; g++) {
		gemp_row_group *group = &v->groups[g];
		for (size_t c = 0; c < group->column_count; c++)
			gemp_column_free(&group->values[c]);
		group->distinct_count = 0;
	}
	gemp_edge_values_free(&v->edge_values);
	gemp_column_free(&v->edge_types);
}

static void row_values_free(gemp_row_values *v)
{
	row_values_reset(v);
	for (size_t g = 0; g < v->group_count; g++)
		gemp_free_all(v->groups[g].column, v->groups[g].values, v->groups[g].index);
	gemp_free_all(v->edge_index, v->names);
	gemp_degree_columns_free(&v->degrees);
	*v = (gemp_row_values){ 0 };
}

/* Local. Notes which values the conditions read. After an error the caller frees *out. */
static gemp_code row_values_new(gemp_row_values *out, gemp_runtime *context, gemp_shard *graph,
                                const gemp_condition *const *conditions, size_t count)
{
	GEMP_OWNED bool *needed = NULL;
	*out = (gemp_row_values){ .context = context, .graph = graph, .degrees.relation_count = graph->relation_count };
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(gemp_degree_columns_note(&out->degrees, conditions[i]->expr));
	size_t columns = SPECIAL + graph->attributes.count + out->degrees.count;
	GEMP_TRY(GEMP_NEW(needed, GEMP_MAX_PATTERN_VERTICES * columns));
	needed_columns needs = { columns, needed };
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(note_expr(out, conditions[i]->expr, &needs));
	for (int v = 0; v < GEMP_MAX_PATTERN_VERTICES; v++)
		GEMP_TRY(join_group(out, v, &needs));
	return GEMP_OK;
}

/* FETCHING the values of a round. */

/* The number of members with a lower index than `at`. */
static size_t members_before(uint64_t members, int at)
{
	return (size_t)__builtin_popcountll(members & ((UINT64_C(1) << at) - 1));
}

/* [rows] the positions of one vertex's images among the distinct images of its group. */
static uint32_t *place_of(const gemp_row_values *v, const gemp_row_group *group, int vertex)
{
	return group->index + members_before(group->members, vertex) * v->rows;
}

/* Finds the distinct images of the group's vertices, and the position of each image among them. */
static gemp_code find_images(const gemp_row_values *v, gemp_row_group *group, const gemp_row_store *rows,
                             gemp_vertex_index *places)
{
	size_t width = (size_t)rows->vertex_count, count = rows->rows * (size_t)__builtin_popcountll(group->members);
	GEMP_TRY(gemp_vertex_index_new(places, v->graph->vertex_count, count));
	GEMP_TRY(GEMP_RESERVE(group->index, group->capacity, count));
	for (uint64_t left = group->members; left; left &= left - 1)
		gemp_vertex_index_add(places, rows->vertices + __builtin_ctzll(left), rows->rows, width);
	GEMP_TRY(gemp_vertex_index_finish(places));
	for (uint64_t left = group->members; left; left &= left - 1) {
		int vertex = __builtin_ctzll(left);
		gemp_vertex_index_find(places, rows->vertices + vertex, rows->rows, width, place_of(v, group, vertex));
	}
	return GEMP_OK;
}

/* Collective. Fetches the columns of a group for its distinct images. Label sets do not count as copied values, since
 * no condition mentions them as values. */
static gemp_code fetch_group(gemp_row_values *v, gemp_row_group *group, const gemp_row_store *rows)
{
	GEMP_OWNED_BY(gemp_vertex_index_free) gemp_vertex_index places = { 0 };
	GEMP_OWNED gemp_vertex *found = NULL;
	GEMP_TRY(gemp_comm_agree(v->context->comm, find_images(v, group, rows, &places)));
	GEMP_TRY(gemp_fetch_computed(v->context, v->graph, v->degrees.columns, places.ids, places.count, group->column,
	                             group->column_count, &found, &group->distinct_count, group->values));
	for (size_t c = 0; c < group->column_count; c++)
		v->copied += group->column[c] == GEMP_FETCH_LABEL_SET ? 0 : group->distinct_count;
	return GEMP_OK;
}

/* Local. Finds the position of each edge among the distinct edges. If a condition reads type(r), makes it a column of
 * strings. */
static gemp_code place_edges(gemp_row_values *v, const gemp_edge *edges, size_t count)
{
	GEMP_TRY(GEMP_RESERVE(v->edge_index, v->edge_capacity, count));
	for (size_t i = 0; i < count; i++)
		v->edge_index[i] = (uint32_t)gemp_edge_values_index(&v->edge_values, edges[i]);
	GEMP_TRY(gemp_column_init(&v->edge_types, "type", GEMP_STRING));
	GEMP_TRY(gemp_column_reserve(&v->edge_types, v->edge_values.count, 0));
	for (size_t i = 0; i < v->edge_values.count && v->types; i++) {
		const char *name = v->graph->relations[v->edge_values.ends[i].relation].name;
		const gemp_value type = { .type = GEMP_STRING, .string = { name, strlen(name) } };
		GEMP_TRY(gemp_column_add(&v->edge_types, &type));
	}
	return GEMP_OK;
}

/* Collective. Fetches the attributes that conditions read of edges, for all pattern edges together. */
static gemp_code fetch_edges(gemp_row_values *v, const gemp_row_store *rows)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	size_t n = 0, width = (size_t)rows->edge_count, count = rows->rows * (size_t)__builtin_popcountll(v->edges);
	GEMP_CHECK(rows->rows == 0 || (rows->edges && width > (size_t)(63 - __builtin_clzll(v->edges))));
	GEMP_TRY(gemp_comm_agree(v->context->comm, GEMP_NEW(edges, count)));
	for (uint64_t left = v->edges; left; left &= left - 1)
		for (size_t row = 0; row < rows->rows; row++)
			edges[n++] = rows->edges[row * width + (size_t)__builtin_ctzll(left)];
	GEMP_TRY(gemp_fetch_edges(&v->edge_values, v->context, v->graph, edges, count, v->names, v->name_count));
	v->copied += v->edge_values.count * v->name_count;
	return gemp_comm_agree(v->context->comm, place_edges(v, edges, count));
}

/* Collective. Fetches the values that the conditions read of the round's rows. Degrees are computed in the first round
 * only. */
static gemp_code row_values_fetch(gemp_row_values *v, const gemp_row_store *rows)
{
	v->rows = rows->rows;
	if (!v->degrees.columns)
		GEMP_TRY(gemp_degree_columns_fill(&v->degrees, v->context, v->graph, v->count_loops));
	for (size_t g = 0; g < v->group_count; g++)
		GEMP_TRY(fetch_group(v, &v->groups[g], rows));
	if (v->edges)
		GEMP_TRY(fetch_edges(v, rows));
	return GEMP_OK;
}

/* A column of a vertex's values, and the position of each row's value in it. */
static gemp_row_source of_vertex(const gemp_row_values *v, int vertex, int column)
{
	const gemp_row_group *group = &v->groups[v->group_of[vertex]];
	size_t c = 0;
	while (group->column[c] != column)
		c++;
	return (gemp_row_source){ &group->values[c], place_of(v, group, vertex) };
}

/* A column of an edge's values, and the position of each row's value in it. edge_index has `rows` positions for each
 * pattern edge that conditions read. */
static gemp_row_source of_edge(const gemp_row_values *v, const gemp_expr *expr)
{
	size_t c = 0;
	const uint32_t *place = v->edge_index + members_before(v->edges, expr->variable) * v->rows;
	if (expr->kind == GEMP_TYPE)
		return (gemp_row_source){ &v->edge_types, place };
	while (strcmp(v->names[c], expr->name) != 0)
		c++;
	return (gemp_row_source){ &v->edge_values.columns[c], place };
}

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
	uint64_t referred, tag;  /* values read by the tested rows; tag of the values on the device */
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
	case GEMP_TYPE: *out = of_edge(&r->values, expr); return true;
	case GEMP_KEY:
	case GEMP_DEGREE:
	case GEMP_ATTRIBUTE:
		if (expr->of_edge)
			*out = of_edge(&r->values, expr);
		else if (column_of(&r->values, expr, &column))
			*out = of_vertex(&r->values, expr->variable, column);
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
	const uint32_t *place = place_of(&r->values, group, vertex);
	GEMP_OWNED const gemp_column **columns = NULL;
	GEMP_OWNED uint32_t *bitmap = NULL, *among = NULL, *label_set = NULL;
	gemp_filter_rows rows = { .tag = r->tag, .rows = group->distinct_count };
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
	for (size_t row = 0; row < r->rows.rows; row++)
		keep[row] &= (uint8_t)(gemp_bits32_test(bitmap, place[row]));
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
	return (uint32_t)look_up(r, of_vertex(&r->values, variable, GEMP_FETCH_LABEL_SET)).integer;
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

/* Local. Drops the rows for which a condition is not true. */
static gemp_code test_rows(residual *r)
{
	GEMP_OWNED uint8_t *keep = NULL;
	if (r->rows.rows == 0)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(keep, r->rows.rows));
	memset(keep, 1, r->rows.rows);
	if (r->filter)
		GEMP_TRY(test_by_filter(r, keep));
	for (size_t i = 0; i < r->condition_count; i++)
		if (!by_filter(r, r->conditions[i]))
			GEMP_TRY(test_on_rows(r, r->conditions[i], keep));
	gemp_row_store_keep(&r->rows, keep);
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
	double began = gemp_now();
	r->referred += r->rows.rows * r->values.mentions;
	GEMP_TRY_DONE(row_values_fetch(&r->values, &r->rows));
	code = test_rows(r);
	gemp_timers_add(&r->context->timers, GEMP_PHASE_ATTRIBUTES, began);
	const gemp_batch batch = gemp_row_store_batch(&r->rows);
	if (batch.rows)
		GEMP_THEN(r->next->consume(r->next->self, &batch));
	GEMP_TRY_DONE(gemp_comm_agree(r->context->comm, code));
	gemp_row_store_clear(&r->rows);
	code = r->next->end_round(r->next->self, last, enough, again);
done:
	row_values_reset(&r->values);
	return code;
}

static void residual_free(void *self)
{
	residual *r = self;
	if (!r)
		return;
	row_values_free(&r->values);
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
	GEMP_TRY(row_values_new(&r->values, context, graph, conditions, count));
	GEMP_TRY(gemp_label_list_column(&r->label_lists, graph));
	r->values.count_loops = count_loops;
	*out = (gemp_sink){
		.self = r, .consume = residual_consume, .end_round = residual_end_round, .free = residual_free
	};
	r = NULL;
	return GEMP_OK;
}

gemp_residual_figures gemp_residual_figures_of(const gemp_sink *sink)
{
	const residual *r = sink->self;
	return (gemp_residual_figures){ r->values.copied, r->referred };
}
