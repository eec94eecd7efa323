#include "analytics/vertex_columns.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/rows/vertex_keys.h"

#include <math.h>

/* All NULL so far. */
static gemp_code add_column(gemp_column **out, gemp_table *found, const char *name, gemp_type type, size_t rows)
{
	GEMP_PROPAGATE(gemp_table_add(found, name, type, out));
	found->rows = rows;
	return gemp_column_pad(*out, rows);
}

gemp_code gemp_vertex_columns_u32(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint32_t *values, uint32_t none)
{
	gemp_column *column = NULL;
	GEMP_PROPAGATE(add_column(&column, found, name, GEMP_INTEGER, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		uint32_t value = values[layout->local[row]];
		if (value != none) {
			column->integers[row] = value;
			column->null[row] = 0;
		}
	}
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

gemp_code gemp_vertex_columns_u64(gemp_table *found, const char *name, const gemp_layout *layout,
                                  const uint64_t *values, uint64_t none)
{
	gemp_column *column = NULL;
	GEMP_PROPAGATE(add_column(&column, found, name, GEMP_INTEGER, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		uint64_t value = values[layout->local[row]];
		if (value == none)
			continue;
		if (value > INT64_MAX)
			return gemp_fail(GEMP_EDATA,
			                 "%s: %" PRIu64 " is more than a column of integers holds (2^63 - 1); give smaller "
			                 "weights, or floats",
			                 name, value);
		column->integers[row] = (int64_t)value;
		column->null[row] = 0;
	}
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

gemp_code gemp_vertex_columns_double(gemp_table *found, const char *name, const gemp_layout *layout,
                                     const double *values)
{
	gemp_column *column = NULL;
	GEMP_PROPAGATE(add_column(&column, found, name, GEMP_FLOAT, layout->own));
	for (size_t row = 0; row < layout->own; row++) {
		double value = values[layout->local[row]];
		if (isfinite(value)) {
			column->floats[row] = value;
			column->null[row] = 0;
		}
	}
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}

gemp_code gemp_vertex_columns_keys(gemp_table *found, const char *name, const gemp_layout *layout, gemp_shard *graph,
                                   const gemp_vertex *values)
{
	gemp_code code = GEMP_OK;
	const gemp_comm *comm = layout->comm;
	gemp_vertex *ids = NULL;
	uint64_t *rows = NULL;
	size_t count = 0;
	gemp_column keys = { 0 }, *column = NULL;
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
done:
	gemp_free_all(ids, rows);
	gemp_column_free(&keys);
	return code;
}
