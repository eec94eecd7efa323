#include "analytics/vertex_columns.h"

#include "core/memory.h"
#include "graph/column_bulk.h"
#include "io/rows/vertex_keys.h"

#include <math.h>

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
	GEMP_PROPAGATE(gemp_table_add(found, name, type, out));
	found->rows = rows;
	return gemp_column_pad(*out, rows);
}

/* One loop for all types of values: rows of the graph take the values of their local vertices. */
static gemp_code add_values(gemp_table *found, const char *name, gemp_type type, const gemp_layout *layout,
                            const void *values, uint64_t none, value_get *get)
{
	gemp_column *column = NULL;
	GEMP_PROPAGATE(add_column(&column, found, name, type, layout->own));
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
	GEMP_PROPAGATE(gemp_shard_load_keys(graph));
	code = GEMP_NEW(ids, layout->own);
	GEMP_THEN(GEMP_NEW(rows, layout->own));
	GEMP_THEN(add_column(&column, found, name, graph->keys.type, layout->own));
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	for (size_t row = 0; row < layout->own; row++)
		if (values[layout->local[row]] != GEMP_NO_VERTEX) {
			ids[count] = values[layout->local[row]];
			rows[count++] = row;
		}
	GEMP_PROPAGATE(gemp_vertex_keys_fetch(&keys, comm, graph, ids, count));
	code = gemp_comm_agree(comm, gemp_column_scatter(column, rows, count, &keys));
	if (code == GEMP_OK)
		gemp_column_trim_nulls(column);
	return code;
}
