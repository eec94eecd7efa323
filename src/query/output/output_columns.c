/* A lookup (query/rows/lookup.h) fetches the keys of vertices. With one rank it copies none: the column refers to the
 * graph's keys, in which row i has the key of vertex i. The values of edges are copied one by one, because results
 * rarely have edges. */

#include "query/output/output_columns.h"

#include "core/threads.h"
#include "query/clause/projection.h"
#include "query/rows/elements.h"

#include <string.h>

enum { CHUNK = 1 << 13 }; /* rows whose keys a thread looks up at a time */

struct gemp_output_columns {
	gemp_runtime *context;
	gemp_shard *graph;
	size_t count;
	size_t edge_count;       /* number of columns of edges */
	gemp_expr *keys;         /* [count] the keys of the columns that are vertices, for the lookup */
	gemp_lookup *lookup;     /* NULL if no column is a vertex */
	gemp_projected *header;  /* [count] names and types */
	gemp_projected *columns; /* [count] of the current frame; columns of edges own their values, the others borrow */
};

/* HEADER */

static gemp_code add_header(gemp_projected *out, const gemp_shard *graph, const gemp_return_item *item)
{
	out->name = item->name;
	out->edge = gemp_projection_cell(item->expr) == GEMP_CELL_EDGE;
	GEMP_TRY(gemp_column_init(&out->value, item->name, gemp_projection_type(graph, item->expr)));
	if (!out->edge)
		return GEMP_OK;
	GEMP_TRY(gemp_column_init(&out->source, item->name, graph->keys.type));
	return gemp_column_init(&out->target, item->name, graph->keys.type);
}

gemp_code gemp_output_columns_header(const gemp_shard *graph, const gemp_pattern *pattern, gemp_projected *out)
{
	gemp_code code = GEMP_OK;
	memset(out, 0, pattern->result.shown * sizeof *out);
	for (size_t i = 0; i < pattern->result.shown; i++)
		GEMP_THEN(add_header(&out[i], graph, &pattern->result.items[i]));
	if (code != GEMP_OK)
		gemp_projected_free(out, pattern->result.shown);
	return code;
}

/* SETTING UP */

static void free_edges(gemp_output_columns *o)
{
	for (size_t c = 0; c < o->count && o->columns; c++)
		if (o->header[c].edge)
			gemp_projected_free(&o->columns[c], 1);
}

void gemp_output_columns_free(gemp_output_columns *o)
{
	if (!o)
		return;
	gemp_lookup_free(o->lookup);
	free_edges(o);
	gemp_projected_free(o->header, o->count);
	gemp_free_all(o->keys, o->header, o->columns, o);
}

/* The items of the last clause are the columns of the frame. */
static gemp_code make_lookup(gemp_output_columns *o, const gemp_pattern *pattern)
{
	GEMP_OWNED const gemp_expr **exprs = NULL;
	const gemp_frame_map map = { .items = true };
	size_t vertices = 0;
	GEMP_TRY(GEMP_NEW(exprs, o->count));
	for (size_t c = 0; c < o->count; c++) {
		if (gemp_projection_cell(pattern->result.items[c].expr) != GEMP_CELL_VERTEX)
			continue;
		o->keys[c] = (gemp_expr){ .kind = GEMP_KEY, .variable = (int)c };
		exprs[vertices++] = &o->keys[c];
	}
	return vertices ? gemp_lookup_new(&o->lookup, o->context, o->graph, &map, exprs, vertices) : GEMP_OK;
}

gemp_code gemp_output_columns_new(gemp_output_columns **out, gemp_runtime *context, gemp_shard *graph,
                                  const gemp_pattern *pattern)
{
	GEMP_OWNED_BY(gemp_output_columns_free_at) gemp_output_columns *o = NULL;
	GEMP_TRY(GEMP_NEW(o, 1));
	*o = (gemp_output_columns){ .context = context, .graph = graph };
	GEMP_TRY(GEMP_NEW(o->keys, pattern->result.shown));
	GEMP_TRY(GEMP_NEW(o->header, pattern->result.shown));
	GEMP_TRY(GEMP_NEW(o->columns, pattern->result.shown));
	o->count = pattern->result.shown;
	GEMP_TRY(gemp_output_columns_header(graph, pattern, o->header));
	for (size_t c = 0; c < o->count; c++)
		o->edge_count += o->header[c].edge;
	GEMP_TRY(make_lookup(o, pattern));
	*out = o;
	o = NULL;
	return GEMP_OK;
}

/* EDGES */

/* The key of GEMP_NO_ELEMENT is NULL. */
static gemp_code add_key(gemp_column *out, const gemp_elements *elements, uint64_t vertex)
{
	gemp_value key = gemp_elements_key(elements, vertex);
	return gemp_column_add(out, &key);
}

/* A missing edge has a NULL type, and both keys of its ends are NULL. */
static gemp_code add_edge(gemp_projected *out, const gemp_elements *elements, uint64_t edge)
{
	const gemp_edge_ends *ends = gemp_elements_ends(elements, edge);
	gemp_value type = gemp_elements_type(elements, edge);
	GEMP_TRY(gemp_column_add(&out->value, &type));
	GEMP_TRY(add_key(&out->source, elements, ends ? ends->source : GEMP_NO_ELEMENT));
	return add_key(&out->target, elements, ends ? ends->target : GEMP_NO_ELEMENT);
}

static gemp_code fill_edge(const gemp_output_columns *o, size_t c, const gemp_frame *frame,
                           const gemp_elements *elements)
{
	const gemp_projected *header = &o->header[c];
	gemp_projected *out = &o->columns[c];
	GEMP_TRY(gemp_column_init(&out->value, header->name, header->value.type));
	GEMP_TRY(gemp_column_init(&out->source, header->name, header->source.type));
	GEMP_TRY(gemp_column_init(&out->target, header->name, header->target.type));
	for (size_t row = 0; row < frame->rows; row++)
		GEMP_TRY(add_edge(out, elements, frame->columns[c].elements[row]));
	return GEMP_OK;
}

/* Collective. Only the edges are fetched, so the other columns are hidden from the fetch. */
static gemp_code fill_edges(const gemp_output_columns *o, const gemp_frame *frame)
{
	GEMP_OWNED gemp_frame_column *edges = NULL;
	GEMP_OWNED_BY(gemp_elements_free) gemp_elements elements = { 0 };
	gemp_code code = GEMP_OK;
	if (!o->edge_count)
		return GEMP_OK;
	GEMP_TRY(gemp_comm_agree(o->context->comm, GEMP_COPY(edges, frame->columns, o->count)));
	for (size_t c = 0; c < o->count; c++)
		edges[c].kind = o->header[c].edge ? GEMP_CELL_EDGE : GEMP_CELL_VALUE;
	GEMP_TRY(gemp_elements_fetch(&elements, o->context, o->graph, edges, o->count, frame->rows, false));
	for (size_t c = 0; c < o->count; c++)
		if (o->header[c].edge)
			GEMP_THEN(fill_edge(o, c, frame, &elements));
	return gemp_comm_agree(o->context->comm, code);
}

/* VERTICES AND VALUES */

typedef struct key_task {
	const gemp_lookup *lookup;
	const gemp_expr *key;
	uint32_t *index; /* [rows] */
} key_task;

static void find_keys(void *context, size_t chunk, size_t begin, size_t end)
{
	const key_task *t = context;
	(void)chunk;
	gemp_lookup_rows(t->lookup, t->key, begin, end - begin, t->index + begin);
}

/* The frame's own array of row numbers, which a column of elements does not use, takes the rows of the keys. */
static gemp_code fill_column(const gemp_output_columns *o, size_t c, gemp_frame *frame)
{
	gemp_projected *out = &o->columns[c];
	gemp_frame_column *from = &frame->columns[c];
	if (from->kind == GEMP_CELL_VERTEX) {
		GEMP_TRY(GEMP_RESERVE(from->index, from->index_capacity, frame->rows));
		key_task t = { o->lookup, &o->keys[c], from->index };
		out->dictionary = gemp_lookup_rows(o->lookup, &o->keys[c], 0, 0, NULL);
		gemp_for_chunks(frame->rows, CHUNK, find_keys, &t);
	} else if (from->dictionary) {
		out->dictionary = from->dictionary;
	} else {
		out->value = from->values;
		out->value.rows = frame->rows;
	}
	out->index = from->index;
	return GEMP_OK;
}

gemp_code gemp_output_columns_fill(gemp_output_columns *o, gemp_frame *frame, const gemp_projected **out)
{
	gemp_code code = GEMP_OK;
	free_edges(o);
	for (size_t c = 0; c < o->count; c++)
		o->columns[c] = (gemp_projected){ .name = o->header[c].name,
			                              .edge = o->header[c].edge,
			                              .value.type = o->header[c].value.type };
	if (o->lookup)
		GEMP_TRY(gemp_lookup_fetch(o->lookup, frame));
	for (size_t c = 0; c < o->count; c++)
		if (!o->header[c].edge)
			GEMP_THEN(fill_column(o, c, frame));
	GEMP_TRY(gemp_comm_agree(o->context->comm, code));
	GEMP_TRY(fill_edges(o, frame));
	*out = o->columns;
	return GEMP_OK;
}
