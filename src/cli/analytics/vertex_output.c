/* A graph file with what was found as attributes of its vertices. */

#include "cli/analytics/vertex_output.h"

#include "cli/graph_output.h"
#include "core/memory.h"
#include "io/file/output.h"
#include "io/graph_file/graph_file_read.h"
#include "io/rows/row_writer.h"
#include "partition/build/content_hash.h"

#include <math.h>
#include <string.h>

/* ROWS */

typedef struct row_source {
	const gemp_shard *graph;
	const gemp_table *found;
} row_source;

static gemp_code fill(void *self, gemp_projected *columns, size_t first, size_t count)
{
	const row_source *rows = self;
	GEMP_PROPAGATE(gemp_row_fill_slice(&columns[0], &rows->graph->keys, first, count));
	for (size_t c = 0; c < rows->found->count; c++)
		GEMP_PROPAGATE(gemp_row_fill_slice(&columns[1 + c], &rows->found->columns[c], first, count));
	return GEMP_OK;
}

gemp_code gemp_vertex_output_rows(const gemp_report *report, const gemp_options *options, gemp_shard *graph,
                                  const gemp_table *found)
{
	gemp_code code = GEMP_OK;
	row_source rows = { graph, found };
	gemp_row_column *columns = NULL;
	if (!options->output)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(graph));
	GEMP_TRY(gemp_comm_agree(report->comm, GEMP_NEW(columns, 1 + found->count)));
	columns[0] = (gemp_row_column){ "key", graph->keys.type };
	for (size_t c = 0; c < found->count; c++)
		columns[1 + c] = (gemp_row_column){ found->columns[c].name, found->columns[c].type };
	gemp_row_turns turns = { .comm = report->comm,
		                     .columns = columns,
		                     .count = 1 + found->count,
		                     .fill = fill,
		                     .self = &rows,
		                     .path = options->output,
		                     .info = gemp_row_info(options->command->name, graph) };
	code = gemp_row_turns_write(&turns, graph->rows);
done:
	gemp_free(columns);
	return code;
}

gemp_code gemp_vertex_output_check(const gemp_comm *comm, const gemp_options *options)
{
	gemp_code code = GEMP_OK;
	if (!options->into && options->column)
		code = gemp_fail(GEMP_EUSAGE,
		                 "--column %s names an attribute of the graph that --into writes; give --into, too",
		                 options->column);
	else if (options->into && !gemp_file_ends_in(options->into, ".h5"))
		code = gemp_fail(GEMP_EUSAGE, "--into %s: this is to be a graph file, whose name ends in .h5", options->into);
	else if (options->into && comm->rank == 0)
		code = gemp_file_may_write("--into", options->into);
	return gemp_comm_agree(comm, code);
}

/* "pagerank", or "bfs_level" and "bfs_parent". */
static gemp_code attribute_name(gemp_text *out, const gemp_options *options, const char *column, size_t count)
{
	const char *prefix = options->column ? options->column : options->command->name;
	gemp_text_clear(out);
	gemp_text_print(out, count > 1 ? "%s_%s" : "%s", prefix, column);
	return gemp_text_status(out);
}

gemp_code gemp_vertex_output_names(const gemp_comm *comm, const gemp_options *options, const gemp_shard *graph,
                                   const char *path, const char *const *names, size_t count)
{
	gemp_code code = GEMP_OK;
	gemp_text name = { 0 };
	for (size_t i = 0; options->into && i < count && code == GEMP_OK; i++) {
		code = attribute_name(&name, options, names[i], count);
		if (code == GEMP_OK && gemp_table_find(&graph->attributes, name.data))
			code = gemp_fail(GEMP_EUSAGE,
			                 "--into %s: vertices of %s have an attribute '%s' already; give another name by "
			                 "--column",
			                 options->into, path, name.data);
	}
	gemp_text_free(&name);
	return gemp_comm_agree(comm, code);
}

static gemp_code take_columns(gemp_shard *graph, const gemp_options *options, gemp_table *found)
{
	gemp_code code = GEMP_OK;
	gemp_text name = { 0 };
	for (size_t i = 0; i < found->count; i++) {
		gemp_column *column = NULL;
		GEMP_TRY(attribute_name(&name, options, found->columns[i].name, found->count));
		GEMP_TRY(gemp_table_add(&graph->attributes, name.data, found->columns[i].type, &column));
		char *own = column->name;
		gemp_free(found->columns[i].name);
		*column = found->columns[i];
		column->name = own;
		found->columns[i] = (gemp_column){ 0 };
	}
done:
	gemp_text_free(&name);
	return code;
}

gemp_code gemp_vertex_output_into(gemp_report *report, const gemp_options *options, gemp_shard *graph, const char *path,
                                  gemp_table *found)
{
	gemp_code code = GEMP_OK;
	const char *weight = NULL;
	if (!options->into)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_all(graph));
	GEMP_TRY(gemp_graph_file_matrix_values(&weight, report->comm, graph, path));
	GEMP_TRY(gemp_comm_agree(report->comm, take_columns(graph, options, found)));
	GEMP_TRY(gemp_shard_content_hash(report->comm, graph, &graph->hash));
	GEMP_TRY(gemp_graph_output_file(report, options, graph, options->into, weight));
	gemp_report_detail(report, "%s: the graph, with what was found\n", options->into);
	gemp_report_set(report, "into", json_string(options->into));
done:
	return code;
}
