#include "command/vertex_found.h"

#include "command/row_writer.h"
#include "command/vertex_keys.h"
#include "core/memory.h"
#include "graph/column_bulk.h"

#include <math.h>

enum { BATCH = 1 << 18 }; /* rows a turn; ranks take turns, so that the rows do not depend on their number */

/* COLUMNS */

/* All NULL so far. */
static gemp_code add_column(gemp_column **out, gemp_table *found, const char *name, gemp_type type, size_t rows)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(gemp_table_add(found, name, type, out));
	found->rows = rows;
	code = gemp_column_grow(*out, rows);
done:
	return code;
}

gemp_code gemp_found_add_u32(gemp_table *found, const char *name, const gemp_gas_layout *layout, const uint32_t *values,
                             uint32_t none)
{
	gemp_code code = GEMP_OK;
	gemp_column *column = NULL;
	GEMP_TRY(add_column(&column, found, name, GEMP_INTEGER, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		uint32_t value = values[layout->local[row]];
		if (value != none) {
			column->integers[row] = value;
			column->null[row] = 0;
		}
	}
	gemp_column_tidy(column);
done:
	return code;
}

gemp_code gemp_found_add_u64(gemp_table *found, const char *name, const gemp_gas_layout *layout, const uint64_t *values,
                             uint64_t none)
{
	gemp_code code = GEMP_OK;
	gemp_column *column = NULL;
	GEMP_TRY(add_column(&column, found, name, GEMP_INTEGER, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		uint64_t value = values[layout->local[row]];
		if (value == none)
			continue;
		if (value > INT64_MAX)
			return gemp_fail(GEMP_EDATA, "%s: %" PRIu64 " is more than a column of integers holds (2^63 - 1); give smaller "
			                 "weights, or floats", name, value);
		column->integers[row] = (int64_t)value;
		column->null[row] = 0;
	}
	gemp_column_tidy(column);
done:
	return code;
}

gemp_code gemp_found_add_double(gemp_table *found, const char *name, const gemp_gas_layout *layout, const double *values)
{
	gemp_code code = GEMP_OK;
	gemp_column *column = NULL;
	GEMP_TRY(add_column(&column, found, name, GEMP_FLOAT, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		double value = values[layout->local[row]];
		if (isfinite(value)) {
			column->floats[row] = value;
			column->null[row] = 0;
		}
	}
	gemp_column_tidy(column);
done:
	return code;
}

gemp_code gemp_found_add_keys(gemp_table *found, const char *name, const gemp_gas_layout *layout, gemp_graph *graph,
                              const gemp_vertex *values)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	gemp_vertex *ids = NULL;
	uint64_t *rows = NULL;
	size_t count = 0;
	gemp_column keys = { 0 }, *column = NULL;
	GEMP_TRY(gemp_graph_need_keys(graph));
	code = GEMP_NEW(ids, layout->own);
	if (code == GEMP_OK)
		code = GEMP_NEW(rows, layout->own);
	if (code == GEMP_OK)
		code = add_column(&column, found, name, graph->key.type, layout->own);
	GEMP_TRY(gemp_comm_agree(comm, code));
	for (size_t row = 0; row < layout->own; row++)
		if (values[layout->local[row]] != GEMP_NO_VERTEX) {
			ids[count] = values[layout->local[row]];
			rows[count++] = row;
		}
	GEMP_TRY(gemp_vertex_keys(&keys, comm, graph, ids, count));
	code = gemp_comm_agree(comm, gemp_column_put(column, rows, count, &keys));
	if (code == GEMP_OK)
		gemp_column_tidy(column);
done:
	gemp_free(ids);
	gemp_free(rows);
	gemp_column_free(&keys);
	return code;
}

/* ROWS */

typedef struct writing {
	const gemp_graph *graph;
	const gemp_table *found;
	gemp_projected *columns; /* [count]: key and those of `found` */
	size_t count;
	gemp_row_writer *writer;
} writing;

static const gemp_column *source(const writing *w, size_t column)
{
	return column ? &w->found->columns[column - 1] : &w->graph->key;
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
		code = gemp_column_pick(&w->columns[c].value, source(w, c), picked, count);
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

gemp_code gemp_found_write_rows(const gemp_report *report, gemp_graph *graph, const gemp_table *found)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = report->comm;
	const char *command = report->options->command->name;
	writing w = { .graph = graph, .found = found, .count = found->count + 1 };
	const gemp_rows_options how = { .path = report->options->output, .limit = UINT64_MAX, .semantics = command,
	                                .distinct = "none" };
	const gemp_result_info info = { .pattern = command, .semantics = command, .distinct = "none",
	                                .graph_hash = graph->hash, .complete = true };
	if (!report->options->output)
		return GEMP_OK;
	GEMP_TRY(gemp_graph_need_keys(graph));
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
