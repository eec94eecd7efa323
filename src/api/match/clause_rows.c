/* Rank 0 chooses the types of the columns and sends them to the other ranks, which take part in writing without
 * rows. */

#include "api/match/clause_rows.h"

#include <math.h>

enum { CHUNK = 1 << 14 }; /* rows that are converted at a time */

/* The form of a column. Forms are sent as bytes. */
typedef enum column_form {
	FORM_BOOLEAN,
	FORM_INTEGER,
	FORM_FLOAT,
	FORM_TEXT,
	FORM_NODE,
	FORM_EDGE,
	FORM_JSON
} column_form;

static column_form form_of_kind(gemp_datum_kind kind)
{
	switch (kind) {
	case GEMP_DATUM_BOOLEAN: return FORM_BOOLEAN;
	case GEMP_DATUM_INTEGER: return FORM_INTEGER;
	case GEMP_DATUM_FLOAT: return FORM_FLOAT;
	case GEMP_DATUM_NODE: return FORM_NODE;
	case GEMP_DATUM_RELATIONSHIP: return FORM_EDGE;
	case GEMP_DATUM_LIST:
	case GEMP_DATUM_MAP:
	case GEMP_DATUM_PATH: return FORM_JSON;
	default: return FORM_TEXT; /* strings and temporal values */
	}
}

/* A column without values is a column of strings. */
static column_form form_of_column(const gemp_cypher_table *rows, size_t column, uint64_t count)
{
	bool any = false;
	column_form form = FORM_TEXT;
	for (size_t row = 0; row < count; row++) {
		const gemp_datum value = gemp_cypher_table_row(rows, row)[column];
		const column_form own = form_of_kind((gemp_datum_kind)value.kind);
		if (gemp_datum_is_null(value))
			continue;
		if (any && own != form)
			return FORM_JSON;
		form = own;
		any = true;
	}
	return form;
}

/* Collective. forms[columns] becomes the same on all ranks; the caller frees it. */
static gemp_code choose_forms(uint8_t **forms, const gemp_comm *comm, const gemp_cypher_result *result, uint64_t count)
{
	void *bytes = NULL;
	size_t size = result->count;
	GEMP_TRY(gemp_comm_agree(comm, comm->rank == 0 ? GEMP_NEW(*forms, size) : GEMP_OK));
	for (size_t c = 0; comm->rank == 0 && c < size; c++)
		(*forms)[c] = (uint8_t)form_of_column(&result->rows, c, count);
	bytes = *forms;
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	*forms = bytes;
	return GEMP_OK;
}

/* Gives the columns their names and types. Keys have the type of the graph's keys. */
static gemp_code init_columns(gemp_projected *columns, const gemp_cypher_result *result, const uint8_t *forms,
                              gemp_type keys)
{
	static const gemp_type types[] = {
		[FORM_BOOLEAN] = GEMP_BOOLEAN, [FORM_INTEGER] = GEMP_INTEGER, [FORM_FLOAT] = GEMP_FLOAT,
		[FORM_TEXT] = GEMP_STRING,     [FORM_EDGE] = GEMP_STRING,     [FORM_JSON] = GEMP_LIST
	};
	for (size_t c = 0; c < result->count; c++) {
		gemp_projected *column = &columns[c];
		*column = (gemp_projected){ .name = result->names[c], .edge = forms[c] == FORM_EDGE };
		GEMP_TRY(gemp_column_init(&column->value, result->names[c], forms[c] == FORM_NODE ? keys : types[forms[c]]));
		if (!column->edge)
			continue;
		GEMP_TRY(gemp_column_init(&column->source, "source", keys));
		GEMP_TRY(gemp_column_init(&column->target, "target", keys));
	}
	return GEMP_OK;
}

/* CELLS */

typedef struct cell_source {
	gemp_cypher_search *search;
	gemp_arena arena; /* of the current chunk */
	gemp_text text;   /* of the current cell */
} cell_source;

static void free_cells(cell_source *cells)
{
	gemp_arena_free(&cells->arena);
	gemp_text_free(&cells->text);
}

static gemp_code add_text(gemp_column *column, const char *bytes, size_t size)
{
	const gemp_value value = { .type = column->type, .string = { bytes ? bytes : "", size } };
	return gemp_column_add(column, &value);
}

static gemp_code add_null(gemp_column *column)
{
	return gemp_column_add(column, &(gemp_value){ .type = column->type, .null = true });
}

static gemp_code add_key(cell_source *cells, gemp_column *column, uint64_t node)
{
	const gemp_cypher_graph *graph = gemp_cypher_search_graph(cells->search);
	gemp_datum key;
	GEMP_TRY(graph->key(graph->self, node, &cells->arena, &key));
	if (key.kind == GEMP_DATUM_STRING)
		return add_text(column, key.text, key.size);
	return gemp_column_add(column, &(gemp_value){ .type = GEMP_INTEGER, .integer = key.integer });
}

static gemp_code add_edge(cell_source *cells, gemp_projected *column, uint64_t edge)
{
	const gemp_cypher_graph *graph = gemp_cypher_search_graph(cells->search);
	gemp_datum type;
	uint64_t from, to;
	GEMP_TRY(graph->type(graph->self, edge, &cells->arena, &type));
	GEMP_TRY(graph->ends(graph->self, edge, &from, &to));
	GEMP_TRY(add_text(&column->value, type.text, type.size));
	GEMP_TRY(add_key(cells, &column->source, from));
	return add_key(cells, &column->target, to);
}

static gemp_code add_json(cell_source *cells, gemp_column *column, gemp_datum value)
{
	gemp_text_clear(&cells->text);
	GEMP_TRY(gemp_datum_json(value, gemp_cypher_search_writer(cells->search), &cells->text));
	GEMP_TRY(gemp_text_status(&cells->text));
	return add_text(column, cells->text.data, cells->text.size);
}

static gemp_code add_written(cell_source *cells, gemp_column *column, gemp_datum value)
{
	gemp_text_clear(&cells->text);
	GEMP_TRY(gemp_datum_text(value, &cells->text));
	GEMP_TRY(gemp_text_status(&cells->text));
	return add_text(column, cells->text.data, cells->text.size);
}

static gemp_code add_cell(cell_source *cells, column_form form, gemp_projected *column, gemp_datum value)
{
	gemp_column *values = &column->value;
	if (gemp_datum_is_null(value)) {
		GEMP_TRY(add_null(values));
		GEMP_TRY(column->edge ? add_null(&column->source) : GEMP_OK);
		return column->edge ? add_null(&column->target) : GEMP_OK;
	}
	switch (form) {
	case FORM_BOOLEAN: return gemp_column_add(values, &(gemp_value){ .type = GEMP_BOOLEAN, .truth = value.truth });
	case FORM_INTEGER: return gemp_column_add(values, &(gemp_value){ .type = GEMP_INTEGER, .integer = value.integer });
	case FORM_FLOAT:
		return gemp_column_add(values,
		                       &(gemp_value){ .type = GEMP_FLOAT, .real = isnan(value.real) ? NAN : value.real });
	case FORM_TEXT:
		return value.kind == GEMP_DATUM_STRING ? add_text(values, value.text, value.size)
		                                       : add_written(cells, values, value);
	case FORM_NODE: return add_key(cells, values, value.id);
	case FORM_EDGE: return add_edge(cells, column, value.id);
	case FORM_JSON: break;
	}
	return add_json(cells, values, value);
}

/* WRITING */

static gemp_code fill_chunk(gemp_projected *columns, const gemp_cypher_result *result, const uint8_t *forms,
                            size_t first, size_t count, gemp_type keys)
{
	GEMP_OWNED_BY(free_cells) cell_source cells = { .search = result->search };
	GEMP_TRY(init_columns(columns, result, forms, keys));
	for (size_t c = 0; c < result->count; c++)
		for (size_t row = first; row < first + count; row++)
			GEMP_TRY(
				add_cell(&cells, (column_form)forms[c], &columns[c], gemp_cypher_table_row(&result->rows, row)[c]));
	return GEMP_OK;
}

/* Collective. Writes all chunks; their number is the same on all ranks. */
static gemp_code write_chunks(gemp_row_writer *writer, const gemp_comm *comm, const gemp_cypher_result *result,
                              const uint8_t *forms, gemp_projected *columns, uint64_t count, gemp_type keys)
{
	for (uint64_t first = 0; first < count; first += CHUNK) {
		const size_t rows = comm->rank == 0 ? (size_t)(count - first < CHUNK ? count - first : CHUNK) : 0;
		gemp_projected_free(columns, result->count);
		gemp_code code = fill_chunk(columns, result, forms, (size_t)first, rows, keys);
		GEMP_TRY(gemp_comm_agree(comm, code));
		GEMP_TRY(gemp_row_writer_write(writer, columns, result->count, rows));
	}
	return GEMP_OK;
}

/* The columns of the result and their forms. */
typedef struct row_columns {
	size_t count;
	uint8_t *forms;          /* [count] */
	gemp_projected *columns; /* [count] */
} row_columns;

static void free_columns(row_columns *c)
{
	gemp_projected_free(c->columns, c->count);
	gemp_free_all(c->forms, c->columns);
}

gemp_code gemp_clause_rows_write(gemp_row_writer **out, const gemp_comm *comm, const gemp_cypher_result *result,
                                 gemp_type keys, uint64_t count, const gemp_rows_options *options)
{
	GEMP_OWNED_BY(gemp_row_writer_abandon_at) gemp_row_writer *writer = NULL;
	GEMP_OWNED_BY(free_columns) row_columns c = { .count = result->count };
	gemp_comm_max(comm, &count, 1); /* rank 0 has the number of rows */
	GEMP_TRY(choose_forms(&c.forms, comm, result, count));
	gemp_code code = GEMP_NEW(c.columns, c.count);
	GEMP_THEN(init_columns(c.columns, result, c.forms, keys));
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_row_writer_open(&writer, comm, c.columns, c.count, options));
	GEMP_TRY(write_chunks(writer, comm, result, c.forms, c.columns, count, keys));
	*out = writer;
	writer = NULL;
	return GEMP_OK;
}
