/* A graph file with what was found as attributes of its vertices. */

#include "cli/analytics/vertex_output.h"

#include "cli/graph_output.h"
#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/file/local_file.h"
#include "io/graph_file/graph_file_matrix_values.h"
#include "io/rows/row_writer.h"
#include "partition/build/content_hash.h"

#include <math.h>
#include <string.h>

enum { BATCH = 1 << 18 }; /* rows a turn; ranks take turns, so that the rows do not depend on their number */

/* COLUMNS */

/* ROWS */

typedef struct writing {
	const gemp_shard *graph;
	const gemp_table *found;
	gemp_projected *columns; /* [count]: key and those of `found` */
	size_t count;
	gemp_row_writer *writer;
} writing;

static const gemp_column *source(const writing *w, size_t column)
{
	return column ? &w->found->columns[column - 1] : &w->graph->keys;
}

/* Collective. This rank's rows at .. at + count - 1; none: others have the turn. */
static gemp_code write_batch(writing *w, const gemp_comm *comm, size_t at, size_t count)
{
	gemp_code code = GEMP_OK;
	uint64_t *picked = NULL;
	code = GEMP_NEW(picked, count);
	for (size_t i = 0; i < count && code == GEMP_OK; i++)
		picked[i] = at + i;
	for (size_t c = 0; c < w->count && code == GEMP_OK; c++) {
		gemp_column_free(&w->columns[c].value);
		code = gemp_column_gather(&w->columns[c].value, source(w, c), NULL, picked, count);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	code = gemp_row_writer_write(w->writer, w->columns, w->count, count);
done:
	gemp_free(picked);
	return code;
}

/* Collective. */
static gemp_code write_turns(writing *w, const gemp_comm *comm)
{
	gemp_code code = GEMP_OK;
	for (int rank = 0; rank < comm->size; rank++) {
		size_t rows = (size_t)(w->graph->bounds[rank + 1] - w->graph->bounds[rank]);
		for (size_t at = 0; at < rows; at += BATCH) {
			size_t count = rows - at < BATCH ? rows - at : BATCH;
			bool mine = rank == comm->rank;
			GEMP_TRY(write_batch(w, comm, mine ? at : 0, mine ? count : 0));
		}
	}
done:
	return code;
}

gemp_code gemp_vertex_output_rows(const gemp_report *report, gemp_shard *graph, const gemp_table *found)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = report->comm;
	const char *command = report->options->command->name;
	writing w = { .graph = graph, .found = found, .count = found->count + 1 };
	const gemp_rows_options how = {
		.path = report->options->output, .limit = UINT64_MAX, .semantics = command, .distinct = "none"
	};
	const gemp_result_info info = {
		.pattern = command, .semantics = command, .distinct = "none", .graph_hash = graph->hash, .complete = true
	};
	if (!report->options->output)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_keys(graph));
	code = GEMP_NEW(w.columns, w.count);
	for (size_t c = 0; c < w.count && code == GEMP_OK; c++) {
		w.columns[c].name = c ? source(&w, c)->name : "key";
		code = gemp_column_init(&w.columns[c].value, w.columns[c].name, source(&w, c)->type);
	}
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_row_writer_open(&w.writer, comm, w.columns, w.count, &how));
	GEMP_TRY(write_turns(&w, comm));
	code = gemp_row_writer_close(w.writer, &info);
	w.writer = NULL;
done:
	gemp_row_writer_abandon(w.writer);
	for (size_t c = 0; w.columns && c < w.count; c++)
		gemp_column_free(&w.columns[c].value);
	gemp_free(w.columns);
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

gemp_code gemp_vertex_output_into(gemp_report *report, gemp_shard *graph, const char *path, gemp_table *found)
{
	gemp_code code = GEMP_OK;
	const gemp_options *options = report->options;
	const char *weight = NULL;
	if (!options->into)
		return GEMP_OK;
	GEMP_TRY(gemp_shard_load_all(graph));
	GEMP_TRY(gemp_graph_file_matrix_values(&weight, report->comm, graph, path));
	GEMP_TRY(gemp_comm_agree(report->comm, take_columns(graph, options, found)));
	GEMP_TRY(gemp_shard_content_hash(report->comm, graph, &graph->hash));
	GEMP_TRY(gemp_graph_output_file(report, graph, options->into, weight));
	gemp_report_detail(report, "%s: the graph, with what was found\n", options->into);
	gemp_report_set(report, "into", json_string(options->into));
done:
	return code;
}
