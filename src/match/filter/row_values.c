#include "match/filter/row_values.h"

#include "graph/column_bulk.h"

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

/* Every other expression is evaluated from its children or from the ids of elements. */
bool gemp_row_values_column(const gemp_row_values *v, const gemp_expr *expr, int *column)
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
	if (gemp_row_values_column(v, expr, &column))
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

/* The next round has other elements. */
void gemp_row_values_reset(gemp_row_values *v)
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

void gemp_row_values_free(gemp_row_values *v)
{
	gemp_row_values_reset(v);
	for (size_t g = 0; g < v->group_count; g++)
		gemp_free_all(v->groups[g].column, v->groups[g].values, v->groups[g].index);
	gemp_free_all(v->edge_index, v->names);
	gemp_degree_columns_free(&v->degrees);
	*v = (gemp_row_values){ 0 };
}

/* Degrees are noted first, since the numbers of their columns decide how many columns a vertex can need. */
gemp_code gemp_row_values_new(gemp_row_values *out, gemp_runtime *context, gemp_shard *graph,
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

/* The members of a group have their positions one after another, in the order of the pattern's vertices. */
uint32_t *gemp_row_values_places(const gemp_row_values *v, const gemp_row_group *group, int vertex)
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
		gemp_vertex_index_find(places, rows->vertices + vertex, rows->rows, width,
		                       gemp_row_values_places(v, group, vertex));
	}
	return GEMP_OK;
}

/* The bytes of a column that holds values of conditions. */
static size_t column_bytes(const gemp_column *column)
{
	static const size_t sizes[] = {
		[GEMP_INTEGER] = sizeof(int64_t), [GEMP_FLOAT] = sizeof(double), [GEMP_BOOLEAN] = 1
	};
	size_t bytes = column->null ? column->rows : 0;
	if (column->type == GEMP_STRING || column->type == GEMP_LIST)
		return bytes + (column->rows + 1) * sizeof *column->offsets +
		       (column->rows ? column->offsets[column->rows] : 0);
	return bytes + column->rows * sizes[column->type];
}

/* Local. Replaces the values of the distinct images by a copy for each row and member, so that no two rows share a
 * value. */
static gemp_code copy_each(const gemp_row_values *v, gemp_row_group *group)
{
	const size_t count = v->rows * (size_t)__builtin_popcountll(group->members);
	GEMP_OWNED uint64_t *picked = NULL;
	GEMP_TRY(GEMP_NEW(picked, count));
	for (size_t i = 0; i < count; i++)
		picked[i] = group->index[i];
	for (size_t c = 0; c < group->column_count; c++) {
		gemp_column copies;
		GEMP_TRY(gemp_column_gather(&copies, &group->values[c], NULL, picked, count));
		gemp_column_free(&group->values[c]);
		group->values[c] = copies;
	}
	for (size_t i = 0; i < count; i++)
		group->index[i] = (uint32_t)i;
	group->distinct_count = count;
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
	if (v->copy_each)
		GEMP_TRY(gemp_comm_agree(v->context->comm, copy_each(v, group)));
	for (size_t c = 0; c < group->column_count; c++) {
		v->copied += group->column[c] == GEMP_FETCH_LABEL_SET ? 0 : group->distinct_count;
		v->copied_bytes += column_bytes(&group->values[c]);
	}
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
	for (size_t c = 0; c < v->name_count; c++)
		v->copied_bytes += column_bytes(&v->edge_values.columns[c]);
	return gemp_comm_agree(v->context->comm, place_edges(v, edges, count));
}

/* Degrees do not change, so the first round computes them for all rounds. */
gemp_code gemp_row_values_fetch(gemp_row_values *v, const gemp_row_store *rows)
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

size_t gemp_row_values_bytes(const gemp_row_values *v)
{
	size_t bytes = 0, positions = (size_t)__builtin_popcountll(v->edges);
	for (size_t g = 0; g < v->group_count; g++) {
		for (size_t c = 0; c < v->groups[g].column_count; c++)
			bytes += column_bytes(&v->groups[g].values[c]);
		positions += (size_t)__builtin_popcountll(v->groups[g].members);
	}
	for (size_t c = 0; c < v->name_count && v->edges; c++)
		bytes += column_bytes(&v->edge_values.columns[c]);
	return bytes + positions * v->rows * sizeof(uint32_t);
}

/* A group has at most some columns, so the search is short. */
gemp_row_source gemp_row_values_of_vertex(const gemp_row_values *v, int vertex, int column)
{
	const gemp_row_group *group = &v->groups[v->group_of[vertex]];
	size_t c = 0;
	while (group->column[c] != column)
		c++;
	return (gemp_row_source){ &group->values[c], gemp_row_values_places(v, group, vertex) };
}

/* edge_index has `rows` positions for each pattern edge that conditions read. */
gemp_row_source gemp_row_values_of_edge(const gemp_row_values *v, const gemp_expr *expr)
{
	size_t c = 0;
	const uint32_t *place = v->edge_index + members_before(v->edges, expr->variable) * v->rows;
	if (expr->kind == GEMP_TYPE)
		return (gemp_row_source){ &v->edge_types, place };
	while (strcmp(v->names[c], expr->name) != 0)
		c++;
	return (gemp_row_source){ &v->edge_values.columns[c], place };
}
