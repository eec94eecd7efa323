/* A lookup collects the requests of its expressions once: one request for each column of vertex values, one for each
 * kind of degree, and a list of names of edge attributes. For each frame the lookup fetches the requested values of all
 * elements in the frame. A vertex index finds the value of a vertex without a search. */

#include "query/rows/lookup.h"

#include "match/filter/computed_columns.h"
#include "match/filter/element_values.h"

#include <string.h>

enum { DEGREE_COLUMN = -4 }; /* unlike every column number of gemp_fetch_values */

/* A request for one value of vertices, with the columns of the frame whose vertices need the value, and the fetched
 * values. */
typedef struct lookup_request {
	int column;                /* a column number of gemp_fetch_values, or DEGREE_COLUMN */
	const gemp_expr *degree;   /* for DEGREE_COLUMN: an expression with the relations and the direction; else NULL */
	gemp_column own;           /* for DEGREE_COLUMN: the degrees of this rank's vertices, computed once */
	bool *columns_read;        /* [columns] true for the columns of the frame whose vertices need the value */
	const gemp_column *source; /* while a frame is read: a column of the graph, or `values` */
	gemp_vertex_index places;  /* row of `values` for each fetched vertex; not used for a column of the graph */
	gemp_column values;        /* fetched values */
} lookup_request;

/* The requests of the expressions, and the values fetched for the current frame. */
struct gemp_lookup {
	gemp_runtime *context;
	gemp_shard *graph;
	gemp_frame_map map;
	const gemp_frame *frame;
	size_t columns; /* number of frame columns that the expressions may refer to */
	size_t request_count, request_capacity;
	lookup_request *requests; /* [request_count] */
	bool *edges;              /* [columns] true for columns of edges whose attributes are read */
	size_t name_count, name_capacity;
	const char **names; /* [name_count] names of the edge attributes that are read; borrowed from the expressions */
	gemp_edge_values edge_values;
	gemp_column label_lists; /* [label sets] lists of labels, made when an expression first reads labels */
};

/* COLUMNS */

/* In a match, edges follow the vertices. In a clause, all items share one numbering. */
static size_t frame_map_variable(const gemp_frame_map *map, int variable, bool edge)
{
	return (size_t)variable + (edge && !map->items ? map->vertices : 0);
}

/* In a match, the values of sub-patterns follow the edges. */
bool gemp_frame_map_column(const gemp_frame_map *map, const gemp_expr *expr, size_t *column)
{
	switch (expr->kind) {
	case GEMP_VERTEX:
	case GEMP_EDGE: *column = frame_map_variable(map, expr->variable, expr->kind == GEMP_EDGE); return true;
	case GEMP_COLUMN: *column = expr->item; return true;
	case GEMP_EXISTS:
	case GEMP_COUNT_OF: *column = map->vertices + map->edges + expr->sub; return true;
	default: return false;
	}
}

/* An expression that is itself a column reads no other column, so the recursion ends at such an expression. */
void gemp_lookup_uses(const gemp_frame_map *map, const gemp_expr *expr, bool *used)
{
	size_t column;
	bool whole = gemp_frame_map_column(map, expr, &column);
	if (whole)
		used[column] = true;
	else if (expr->variable >= 0)
		used[frame_map_variable(map, expr->variable, expr->of_edge)] = true;
	for (size_t i = 0; i < expr->count && !whole; i++)
		gemp_lookup_uses(map, expr->children[i], used);
}

/* REQUESTS */

/* Returns true and sets *column for an expression that reads a vertex value, which is fetched by column number. Edge
 * attributes are fetched by name instead. */
static bool graph_column(const gemp_expr *expr, int *column)
{
	switch (expr->kind) {
	case GEMP_ATTRIBUTE: *column = expr->attribute; return !expr->of_edge && expr->attribute >= 0;
	case GEMP_KEY: *column = GEMP_FETCH_KEY; return true;
	case GEMP_LABELS:
	case GEMP_HAS_LABEL: *column = GEMP_FETCH_LABEL_SET; return true;
	case GEMP_DEGREE: *column = DEGREE_COLUMN; return true;
	default: return false;
	}
}

/* Two degrees over the same relations in the same direction share one request. */
static bool same_degree(const gemp_shard *graph, const gemp_expr *a, const gemp_expr *b)
{
	return a->direction == b->direction && memcmp(a->relations, b->relations, graph->relation_count) == 0;
}

/* A lookup has few requests, so a linear search is enough. Degrees share one column number and are told apart by
 * relations and direction. */
static lookup_request *find_request(const gemp_lookup *l, int column, const gemp_expr *expr)
{
	for (size_t i = 0; i < l->request_count; i++)
		if (l->requests[i].column == column &&
		    (column != DEGREE_COLUMN || same_degree(l->graph, l->requests[i].degree, expr)))
			return &l->requests[i];
	return NULL;
}

/* Adds the expression's vertex column to the request, and makes the request if there is none yet. */
static gemp_code request_column(gemp_lookup *l, int column, const gemp_expr *expr)
{
	lookup_request *found = find_request(l, column, expr);
	if (!found) {
		GEMP_TRY(GEMP_RESERVE(l->requests, l->request_capacity, l->request_count + 1));
		found = &l->requests[l->request_count];
		*found = (lookup_request){ .column = column, .degree = column == DEGREE_COLUMN ? expr : NULL };
		GEMP_TRY(GEMP_NEW(found->columns_read, l->columns));
		l->request_count++;
	}
	found->columns_read[frame_map_variable(&l->map, expr->variable, false)] = true;
	return GEMP_OK;
}

/* Returns the index of the requested name, or name_count if no request has the name. */
static size_t find_name(const gemp_lookup *l, const char *name)
{
	size_t i = 0;
	while (i < l->name_count && strcmp(l->names[i], name) != 0)
		i++;
	return i;
}

/* Attributes of edges are fetched by name, because each relation has columns of its own. */
static gemp_code request_name(gemp_lookup *l, const char *name, size_t column)
{
	l->edges[column] = true;
	if (find_name(l, name) < l->name_count)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(l->names, l->name_capacity, l->name_count + 1));
	l->names[l->name_count++] = name;
	return GEMP_OK;
}

/* Requests are collected over all expressions, so that one column needs one exchange in a fetch. */
static gemp_code request_expr(gemp_lookup *l, const gemp_expr *expr)
{
	int column;
	if (graph_column(expr, &column))
		GEMP_TRY(request_column(l, column, expr));
	else if (expr->kind == GEMP_ATTRIBUTE && expr->of_edge)
		GEMP_TRY(request_name(l, expr->name, frame_map_variable(&l->map, expr->variable, true)));
	for (size_t i = 0; i < expr->count; i++)
		GEMP_TRY(request_expr(l, expr->children[i]));
	return GEMP_OK;
}

/* Returns one more than the largest column number in the expression. */
static size_t columns_of(const gemp_frame_map *map, const gemp_expr *expr)
{
	size_t max_column = expr->variable < 0 ? 0 : frame_map_variable(map, expr->variable, expr->of_edge) + 1;
	for (size_t i = 0; i < expr->count; i++)
		max_column = gemp_max(max_column, columns_of(map, expr->children[i]));
	return max_column;
}

/* FETCHING */

/* The number of columns in the set, which bounds the number of ids of a fetch. */
static size_t count_columns(const bool *columns, size_t count)
{
	size_t set = 0;
	for (size_t c = 0; c < count; c++)
		set += columns[c];
	return set;
}

/* Returns the ids in one column of the current frame. */
static uint64_t *elements_of(const gemp_lookup *l, size_t column)
{
	return l->frame->columns[column].elements;
}

/* Collective. The degrees of this rank's vertices are computed once. After that, degrees are fetched like
 * attributes. */
static gemp_code make_degrees(gemp_lookup *l, lookup_request *request)
{
	if (request->own.name)
		return GEMP_OK;
	return gemp_degree_column(l->context, l->graph, request->degree->relations, request->degree->direction,
	                          l->map.count_loops, &request->own);
}

/* The values of a rank that owns all vertices need no copy: the vertex's id is the row. */
static gemp_code find_source(gemp_lookup *l, lookup_request *request)
{
	if (request->degree) {
		request->source = &request->own;
		return GEMP_OK;
	}
	if (request->column == GEMP_FETCH_KEY) {
		request->source = &l->graph->keys;
		return gemp_shard_load_keys(l->graph);
	}
	request->source = &l->graph->attributes.columns[request->column];
	return gemp_shard_load_attribute(l->graph, (size_t)request->column);
}

/* Collects the distinct vertices of the columns in the request. */
static gemp_code index_vertices(const gemp_lookup *l, lookup_request *request)
{
	GEMP_OWNED gemp_vertex *ids = NULL;
	const size_t rows = l->frame->rows;
	gemp_vertex_index_free(&request->places);
	GEMP_TRY(GEMP_NEW(ids, rows));
	GEMP_TRY(gemp_vertex_index_new(&request->places, l->graph->vertex_count,
	                               rows * count_columns(request->columns_read, l->columns)));
	for (size_t c = 0; c < l->columns; c++) {
		size_t n = 0;
		for (size_t row = 0; row < rows && request->columns_read[c]; row++)
			if (elements_of(l, c)[row] != GEMP_NO_ELEMENT)
				ids[n++] = (gemp_vertex)elements_of(l, c)[row];
		gemp_vertex_index_add(&request->places, ids, n, 1);
	}
	return gemp_vertex_index_finish(&request->places);
}

/* Collective. Fetches the value for all vertices of the columns in the request, as one list. */
static gemp_code fetch_column(gemp_lookup *l, lookup_request *request)
{
	GEMP_OWNED gemp_vertex *found = NULL;
	size_t found_count;
	/* gemp_fetch_values numbers the computed columns from here on */
	const int column = request->degree ? (int)l->graph->attributes.count : request->column;
	if (request->degree)
		GEMP_TRY(make_degrees(l, request));
	if (l->context->comm->size == 1 && (request->degree || column >= 0 || column == GEMP_FETCH_KEY))
		return find_source(l, request);
	GEMP_TRY(gemp_comm_agree(l->context->comm, index_vertices(l, request)));
	request->source = &request->values;
	return gemp_fetch_computed(l->context, l->graph, &request->own, request->places.ids, request->places.count, &column,
	                           1, &found, &found_count, &request->values);
}

/* Collective. Fetches the attributes of all edges in one exchange. */
static gemp_code fetch_edges(gemp_lookup *l)
{
	GEMP_OWNED gemp_edge *edges = NULL;
	size_t n = 0, rows = l->frame->rows;
	GEMP_TRY(gemp_comm_agree(l->context->comm, GEMP_NEW(edges, rows * count_columns(l->edges, l->columns))));
	for (size_t c = 0; c < l->columns; c++)
		for (size_t row = 0; row < rows && l->edges[c]; row++)
			if (elements_of(l, c)[row] != GEMP_NO_ELEMENT)
				edges[n++] = elements_of(l, c)[row];
	return gemp_fetch_edges(&l->edge_values, l->context, l->graph, edges, n, l->names, l->name_count);
}

/* Makes one list of labels for each label set, because many vertices share a label set. */
static gemp_code list_labels(gemp_lookup *l)
{
	if (gemp_column_loaded(&l->label_lists) || !find_request(l, GEMP_FETCH_LABEL_SET, NULL))
		return GEMP_OK;
	return gemp_label_list_column(&l->label_lists, l->graph);
}

/* Requests are fetched in their order. All ranks have the same expressions, so the order is the same on all ranks. */
gemp_code gemp_lookup_fetch(gemp_lookup *l, const gemp_frame *frame)
{
	gemp_lookup_forget(l);
	l->frame = frame;
	for (size_t i = 0; i < l->request_count; i++)
		GEMP_TRY(fetch_column(l, &l->requests[i]));
	if (l->name_count)
		GEMP_TRY(fetch_edges(l));
	return gemp_comm_agree(l->context->comm, list_labels(l));
}

/* Frees the fetched values. Requests and degrees stay for the next frame. */
void gemp_lookup_forget(gemp_lookup *l)
{
	for (size_t i = 0; i < l->request_count; i++) {
		gemp_column_free(&l->requests[i].values);
		gemp_vertex_index_free(&l->requests[i].places);
		l->requests[i].source = NULL;
	}
	gemp_edge_values_free(&l->edge_values);
	l->frame = NULL;
}

/* SCOPE */

/* The callback of gemp_scope that returns elements. */
static uint64_t scope_element(void *context, int variable, bool edge)
{
	const gemp_lookup_reader *r = context;
	return elements_of(r->lookup, frame_map_variable(&r->lookup->map, variable, edge))[r->row];
}

/* A missing element has a NULL of the type that the value of a present element would have. */
static gemp_value null_of(gemp_type type)
{
	return (gemp_value){ .type = type, .null = true };
}

/* The row of the request's source that has the value of a vertex. */
static uint32_t row_of(const lookup_request *request, uint64_t vertex)
{
	const gemp_vertex id = (gemp_vertex)vertex;
	uint32_t row = id;
	if (request->source == &request->values)
		gemp_vertex_index_find(&request->places, &id, 1, 1, &row);
	return row;
}

/* A missing vertex has a NULL of the column's type. */
static gemp_value vertex_value(const gemp_lookup *l, uint64_t vertex, int column, const gemp_expr *expr)
{
	const lookup_request *request = find_request(l, column, expr);
	if (vertex == GEMP_NO_ELEMENT)
		return null_of(request->source->type);
	return gemp_column_get(request->source, row_of(request, vertex));
}

const gemp_column *gemp_lookup_rows(const gemp_lookup *l, const gemp_expr *expr, size_t first, size_t count,
                                    uint32_t *index)
{
	int column;
	if ((expr->kind != GEMP_ATTRIBUTE && expr->kind != GEMP_KEY) || !graph_column(expr, &column))
		return NULL;
	const lookup_request *request = find_request(l, column, expr);
	const uint64_t *elements = elements_of(l, frame_map_variable(&l->map, expr->variable, false));
	for (size_t i = 0; i < count && index; i++) {
		const uint64_t vertex = elements[first + i];
		index[i] = vertex == GEMP_NO_ELEMENT ? GEMP_NO_ROW : row_of(request, vertex);
	}
	return request->source;
}

/* A missing edge has a NULL of the column's type. */
static gemp_value edge_value(const gemp_lookup *l, const gemp_expr *expr, uint64_t edge)
{
	const gemp_column *column = &l->edge_values.columns[find_name(l, expr->name)];
	if (edge == GEMP_NO_ELEMENT)
		return null_of(column->type);
	return gemp_column_get(column, gemp_edge_values_index(&l->edge_values, edge));
}

/* The edge's number determines its relation, because edges are numbered consecutively over all relations. */
static gemp_value type_value(const gemp_lookup *l, uint64_t edge)
{
	size_t k = 0;
	if (edge == GEMP_NO_ELEMENT)
		return null_of(GEMP_STRING);
	while (edge >= l->graph->relations[k].edge_count)
		edge -= l->graph->relations[k++].edge_count;
	const char *name = l->graph->relations[k].name;
	return (gemp_value){ .type = GEMP_STRING, .string = { name, strlen(name) } };
}

/* The list exists already, one for each label set. */
static gemp_value labels_value(const gemp_lookup *l, uint64_t vertex)
{
	gemp_value set = vertex_value(l, vertex, GEMP_FETCH_LABEL_SET, NULL);
	return set.null ? null_of(GEMP_LIST) : gemp_column_get(&l->label_lists, (size_t)set.integer);
}

/* The callback of gemp_scope that returns the value of an expression in the current row. */
static gemp_value scope_value(void *context, const gemp_expr *expr)
{
	const gemp_lookup_reader *r = context;
	const gemp_lookup *l = r->lookup;
	size_t whole;
	int column;
	if (expr->kind == GEMP_LITERAL)
		return expr->value;
	if (gemp_frame_map_column(&l->map, expr, &whole))
		return gemp_frame_value(&l->frame->columns[whole], r->row);
	uint64_t element = scope_element(context, expr->variable, expr->of_edge);
	if (expr->kind == GEMP_LABELS)
		return labels_value(l, element);
	if (expr->kind == GEMP_TYPE)
		return type_value(l, element);
	if (graph_column(expr, &column))
		return vertex_value(l, element, column, expr);
	return expr->of_edge ? edge_value(l, expr, element) : null_of(GEMP_STRING); /* an attribute that no vertex has */
}

/* The callback of gemp_scope that returns a vertex's label set. UINT32_MAX stands for a missing vertex. */
static uint32_t scope_label_set(void *context, int variable)
{
	const gemp_lookup_reader *r = context;
	gemp_value set = vertex_value(r->lookup, scope_element(context, variable, false), GEMP_FETCH_LABEL_SET, NULL);
	return set.null ? UINT32_MAX : (uint32_t)set.integer;
}

/* The scope reads the row number from the reader, so moving to the next row only stores a number. */
void gemp_lookup_reader_init(gemp_lookup_reader *reader, const gemp_lookup *lookup)
{
	*reader = (gemp_lookup_reader){ .lookup = lookup };
	reader->scope = (gemp_scope){
		.context = reader, .value = scope_value, .element = scope_element, .label_set = scope_label_set
	};
}

/* The number of columns must be known before requests are collected, because each request has an array of that
 * length. */
gemp_code gemp_lookup_new(gemp_lookup **out, gemp_runtime *context, gemp_shard *graph, const gemp_frame_map *map,
                          const gemp_expr *const *exprs, size_t count)
{
	GEMP_OWNED_BY(gemp_lookup_free_at) gemp_lookup *l = NULL;
	GEMP_TRY(GEMP_NEW(l, 1));
	l->context = context;
	l->graph = graph;
	l->map = *map;
	for (size_t i = 0; i < count; i++)
		l->columns = gemp_max(l->columns, columns_of(map, exprs[i]));
	GEMP_TRY(GEMP_NEW(l->edges, l->columns));
	for (size_t i = 0; i < count; i++)
		GEMP_TRY(request_expr(l, exprs[i]));
	*out = l;
	l = NULL;
	return GEMP_OK;
}

/* The lookup may be NULL or only partly made. */
void gemp_lookup_free(gemp_lookup *l)
{
	if (!l)
		return;
	gemp_lookup_forget(l);
	for (size_t i = 0; i < l->request_count; i++) {
		gemp_free(l->requests[i].columns_read);
		gemp_column_free(&l->requests[i].own);
	}
	gemp_column_free(&l->label_lists);
	gemp_free_all(l->requests, l->edges, l->names, l);
}
