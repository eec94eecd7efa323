#include "api/analytics/vertex_output.h"

#include "core/memory.h"
#include "core/quantity.h"
#include "graph/column_bulk.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/graph_file/graph_file_write.h"
#include "io/rows/row_writer.h"
#include "io/rows/vertex_keys.h"
#include "partition/build/content_hash.h"

#include <math.h>
#include <string.h>

/* A vertex's value as a cell; NULL where it has none. */
typedef gemp_value value_get(const void *values, size_t vertex, uint64_t none);

static gemp_value get_u32(const void *values, size_t vertex, uint64_t none)
{
	const uint32_t value = ((const uint32_t *)values)[vertex];
	return (gemp_value){ .type = GEMP_INTEGER, .null = value == none, .integer = value };
}

/* Values that no column of integers holds are negative here. */
static gemp_value get_u64(const void *values, size_t vertex, uint64_t none)
{
	const uint64_t value = ((const uint64_t *)values)[vertex];
	return (gemp_value){ .type = GEMP_INTEGER, .null = value == none, .integer = (int64_t)value };
}

static gemp_value get_double(const void *values, size_t vertex, uint64_t none)
{
	const double value = ((const double *)values)[vertex];
	(void)none;
	return (gemp_value){ .type = GEMP_FLOAT, .null = !isfinite(value), .real = value };
}

/* A column of which all rows are NULL so far. */
static gemp_code add_column(gemp_column **out, gemp_table *found, const char *name, gemp_type type, size_t rows)
{
	GEMP_TRY(gemp_table_add(found, name, type, out));
	found->rows = rows;
	return gemp_column_pad(*out, rows);
}

/* One loop for all types of values: rows of the graph take the values of their local vertices. */
static gemp_code add_values(gemp_table *found, const char *name, gemp_type type, const gemp_layout *layout,
                            const void *values, uint64_t none, value_get *get)
{
	gemp_column *column = NULL;
	GEMP_TRY(add_column(&column, found, name, type, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		const gemp_value value = get(values, layout->local[row], none);
		if (value.null)
			continue;
		if (type == GEMP_FLOAT)
			column->floats[row] = value.real;
		else if (value.integer >= 0)
			column->integers[row] = value.integer;
		else
			return gemp_fail(GEMP_EDATA,
			                 "%s: %" PRIu64 " is more than a column of integers holds (2^63 - 1); give smaller "
			                 "weights, or floats",
			                 name, (uint64_t)value.integer);
		column->null[row] = 0;
	}
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

gemp_code gemp_vertex_columns_u32(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint32_t *values, uint32_t none)
{
	return add_values(found, name, GEMP_INTEGER, layout, values, none, get_u32);
}

gemp_code gemp_vertex_columns_u64(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint64_t *values, uint64_t none)
{
	return add_values(found, name, GEMP_INTEGER, layout, values, none, get_u64);
}

gemp_code gemp_vertex_columns_double(gemp_table *found, const char *name, const gemp_layout *layout,
                                     const double *values)
{
	return add_values(found, name, GEMP_FLOAT, layout, values, 0, get_double);
}

/* Keys of vertices that other ranks own are fetched, each rank's in one request. */
gemp_code gemp_vertex_columns_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                   const gemp_vertex *values)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	GEMP_OWNED gemp_vertex *ids = NULL;
	GEMP_OWNED uint64_t *rows = NULL;
	size_t count = 0;
	GEMP_OWNED_BY(gemp_column_free) gemp_column keys = { 0 };
	gemp_column *column = NULL;
	GEMP_TRY(gemp_shard_load_keys(graph));
	code = GEMP_NEW(ids, layout->own);
	GEMP_THEN(GEMP_NEW(rows, layout->own));
	GEMP_THEN(add_column(&column, found, name, graph->keys.type, layout->own));
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t row = 0; row < layout->own; row++)
		if (values[layout->local[row]] != GEMP_NO_VERTEX) {
			ids[count] = values[layout->local[row]];
			rows[count++] = row;
		}
	GEMP_TRY(gemp_vertex_keys_fetch(&keys, comm, graph, ids, count));
	code = gemp_comm_agree(comm, gemp_column_scatter(column, rows, count, &keys));
	if (code == GEMP_OK)
		gemp_column_trim_nulls(column);
	return code;
}

/* ROWS */

typedef struct row_source {
	const gemp_shard *graph;
	const gemp_table *columns;
} row_source;

static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const row_source *rows = self;
	GEMP_TRY(gemp_row_fill_slice(&columns[0], &rows->graph->keys, first, count));
	for (size_t c = 0; c < rows->columns->count; c++)
		GEMP_TRY(gemp_row_fill_slice(&columns[1 + c], &rows->columns->columns[c], first, count));
	return GEMP_OK;
}

gemp_code gemp_vertex_output_rows(gemp_graph *graph, const char *path, const char *what, const gemp_table *columns)
{
	gemp_shard *shard = graph->shard;
	const gemp_comm *comm = &graph->context->comm;
	row_source rows = { shard, columns };
	GEMP_OWNED gemp_row_column *heads = NULL;
	GEMP_TRY(gemp_shard_load_keys(shard));
	GEMP_TRY(gemp_comm_agree(comm, GEMP_NEW(heads, 1 + columns->count)));
	heads[0] = (gemp_row_column){ "key", shard->keys.type };
	for (size_t c = 0; c < columns->count; c++)
		heads[1 + c] = (gemp_row_column){ columns->columns[c].name, columns->columns[c].type };
	gemp_row_turns turns = { .comm = comm,
		                     .columns = heads,
		                     .count = 1 + columns->count,
		                     .fill = fill,
		                     .self = &rows,
		                     .path = path,
		                     .info = gemp_row_info(what, shard) };
	return gemp_row_turns_write(&turns, shard->rows);
}

/* INTO A GRAPH FILE */

/* "pagerank", or "bfs_level" and "bfs_parent". */
static gemp_code attribute_name(gemp_text *out, const char *prefix, const char *column, size_t count)
{
	gemp_text_clear(out);
	gemp_text_print(out, count > 1 ? "%s_%s" : "%s", prefix, column);
	return gemp_text_status(out);
}

static const char *prefix_of(const gemp_vertex_output *output, const char *function)
{
	return output->column ? output->column : function;
}

gemp_code gemp_vertex_output_check(const gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   const char *const *names, size_t count)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = &graph->context->comm;
	const char *into = output->into;
	gemp_text name = { 0 };
	GEMP_TRY(gemp_rows_path_check(comm, "output", output->output));
	if (!into && output->column)
		code = gemp_fail(GEMP_EUSAGE, "column %s names an attribute of the graph that `into` writes; give `into`, too",
		                 output->column);
	else if (into && !gemp_file_ends_in(into, ".h5"))
		code = gemp_fail(GEMP_EUSAGE, "into %s: this is to be a graph file, whose name ends in .h5", into);
	else if (into && comm->rank == 0)
		code = gemp_file_may_write("into", into);
	for (size_t i = 0; into && i < count && code == GEMP_OK; i++) {
		code = attribute_name(&name, prefix_of(output, function), names[i], count);
		if (code == GEMP_OK && gemp_table_find(&graph->shard->attributes, name.data))
			code = gemp_fail(GEMP_EUSAGE,
			                 "into %s: vertices of %s have an attribute '%s' already; give another name by `column`",
			                 into, graph->name, name.data);
	}
	gemp_text_free(&name);
	return gemp_comm_agree(comm, code);
}

/* The graph's attributes get the arrays of the columns under other names, until return_columns. */
static gemp_code lend_columns(gemp_shard *graph, const char *prefix, const gemp_table *columns)
{
	gemp_text name = { 0 };
	gemp_code code = GEMP_OK;
	for (size_t i = 0; i < columns->count && code == GEMP_OK; i++) {
		gemp_column *column = NULL;
		code = attribute_name(&name, prefix, columns->columns[i].name, columns->count);
		GEMP_THEN(gemp_table_add(&graph->attributes, name.data, columns->columns[i].type, &column));
		if (code != GEMP_OK)
			break;
		char *own = column->name;
		*column = columns->columns[i];
		column->name = own;
	}
	gemp_text_free(&name);
	return code;
}

static void return_columns(gemp_shard *graph, size_t before)
{
	gemp_table *attributes = &graph->attributes;
	while (attributes->count > before) {
		gemp_column *last = &attributes->columns[--attributes->count];
		gemp_free(last->name);
		*last = (gemp_column){ 0 };
	}
}

/* Collective. */
static gemp_code write_into(gemp_graph *graph, const gemp_vertex_output *output, const char *prefix,
                            const gemp_table *columns, gemp_report *report)
{
	gemp_code code = GEMP_OK;
	gemp_shard *shard = graph->shard;
	const gemp_comm *comm = &graph->context->comm;
	const size_t before = shard->attributes.count;
	const uint64_t hash = shard->hash;
	const char *weight = NULL;
	const gemp_provenance provenance = { .command = output->command ? output->command : "libgemp",
		                                 .version = gemp_version() };
	GEMP_TRY_DONE(gemp_shard_load_all(shard));
	if (shard->loader.self) /* the graph is a file's, whose matrices keep their values */
		GEMP_TRY_DONE(gemp_graph_file_matrix_values(&weight, comm, shard, graph->name));
	GEMP_TRY_DONE(gemp_comm_agree(comm, lend_columns(shard, prefix, columns)));
	GEMP_TRY_DONE(gemp_shard_content_hash(comm, shard, &shard->hash));
	GEMP_TRY_DONE(gemp_graph_file_write_weighted(comm, shard, output->into, &provenance, weight));
	if (!report)
		goto done;
	gemp_report_detail(report, "Wrote attribute%s ", columns->count == 1 ? "" : "s");
	for (size_t i = before; i < shard->attributes.count; i++)
		gemp_report_detail(report, "%s`%s`", i > before ? ", " : "", shard->attributes.columns[i].name);
	gemp_report_detail(report, " to %s (%s)\n", output->into, gemp_counted(shard->vertex_count, "vertex").text);
	gemp_report_set(report, "into", json_string(output->into));
done:
	return_columns(shard, before);
	shard->hash = hash;
	return code;
}

gemp_code gemp_vertex_output_write(gemp_graph *graph, const gemp_vertex_output *output, const char *function,
                                   gemp_table *columns, gemp_report *report)
{
	if (output->output)
		GEMP_TRY(gemp_vertex_output_rows(graph, output->output, function, columns));
	return output->into ? write_into(graph, output, prefix_of(output, function), columns, report) : GEMP_OK;
}
