/* columns: a gemp_columns is a table of typed columns (graph/column.h) of this rank; views of them point into the table, so that rows
 * are not copied on their way to the program.
 */

#include "api/graph_state.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_columns_new(gemp_columns **out, const gemp_context *context)
{
	*out = NULL;
	return gemp_comm_agree(&context->comm, GEMP_NEW(*out, 1));
}

void gemp_columns_close(gemp_columns *columns)
{
	if (!columns)
		return;
	gemp_table_free(&columns->table);
	gemp_free(columns);
}

size_t gemp_columns_count(const gemp_columns *columns)
{
	return columns->table.count;
}

size_t gemp_columns_rows(const gemp_columns *columns)
{
	return columns->table.rows;
}

/* Arrays that the type does not have are NULL. */
static void view_of(gemp_column_view *out, const gemp_column *column)
{
	*out = (gemp_column_view){ .name = column->name,
		                       .type = column->type,
		                       .rows = column->rows,
		                       .integers = column->integers,
		                       .floats = column->floats,
		                       .booleans = column->booleans,
		                       .offsets = column->offsets,
		                       .bytes = column->bytes,
		                       .null = column->null };
}

bool gemp_columns_at(const gemp_columns *columns, size_t index, gemp_column_view *out)
{
	if (index >= columns->table.count)
		return false;
	view_of(out, &columns->table.columns[index]);
	return true;
}

bool gemp_columns_find(const gemp_columns *columns, const char *name, gemp_column_view *out)
{
	const gemp_column *column = gemp_table_find(&columns->table, name);
	if (column)
		view_of(out, column);
	return column != NULL;
}

/* Keys are copied, as columns may outlive the graph. */
gemp_code gemp_graph_keys(gemp_columns **out, gemp_graph *graph)
{
	gemp_code code = GEMP_OK;
	gemp_columns *columns = NULL;
	gemp_column *key;
	const gemp_shard *shard = graph->shard;
	*out = NULL;
	GEMP_TRY_DONE(gemp_shard_load_keys(graph->shard));
	GEMP_TRY_DONE(gemp_columns_new(&columns, graph->context));
	code = gemp_table_add(&columns->table, "key", shard->keys.type, &key);
	GEMP_THEN(gemp_column_reserve(key, shard->rows, 0));
	for (size_t row = 0; row < shard->rows && code == GEMP_OK; row++) {
		gemp_value value = gemp_column_get(&shard->keys, row);
		code = gemp_column_add(key, &value);
	}
	columns->table.rows = shard->rows;
	GEMP_TRY_DONE(gemp_comm_agree(&graph->context->comm, code));
	*out = columns;
	columns = NULL;
done:
	gemp_columns_close(columns);
	return code;
}
