#include "match/row_store.h"

#include "core/memory.h"

#include <string.h>

static gemp_code begin_values(gemp_row_store *store, const gemp_batch *batch)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(store->values, batch->value_count));
	for (; store->value_count < batch->value_count; store->value_count++) {
		const gemp_column *from = &batch->values[store->value_count];
		GEMP_CHECK(from->type == GEMP_INTEGER || from->type == GEMP_BOOLEAN);
		GEMP_TRY(gemp_column_init(&store->values[store->value_count], from->name, from->type));
	}
done:
	return code;
}

static gemp_code add_values(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	gemp_code code = GEMP_OK;
	if (batch->value_count && !store->values)
		GEMP_TRY(begin_values(store, batch));
	GEMP_CHECK(store->value_count == batch->value_count);
	for (size_t c = 0; c < store->value_count; c++)
		for (size_t row = 0; row < rows; row++) {
			gemp_value value = gemp_column_get(&batch->values[c], row);
			GEMP_TRY(gemp_column_add(&store->values[c], &value));
		}
done:
	return code;
}

gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(!batch->multiplicity);
	GEMP_CHECK(store->rows == 0 ||
	           (store->vertex_count == batch->vertex_count && store->edge_count == batch->edge_count));
	store->vertex_count = batch->vertex_count;
	store->edge_count = batch->edge_count;
	size_t v = (size_t)batch->vertex_count, e = (size_t)batch->edge_count, all = store->rows + rows;
	GEMP_TRY(GEMP_RESERVE(store->vertices, store->vertex_capacity, all * v));
	GEMP_TRY(GEMP_RESERVE(store->edges, store->edge_capacity, all * e));
	GEMP_TRY(add_values(store, batch, rows));
	if (rows && v)
		memcpy(store->vertices + store->rows * v, batch->vertices, rows * v * sizeof *store->vertices);
	if (rows && e)
		memcpy(store->edges + store->rows * e, batch->edges, rows * e * sizeof *store->edges);
	store->rows = all;
done:
	return code;
}

static void keep_values(gemp_column *column, const uint8_t *keep, size_t rows)
{
	size_t kept = 0;
	for (size_t row = 0; row < rows; row++) {
		if (!keep[row])
			continue;
		if (column->type == GEMP_INTEGER)
			column->integers[kept] = column->integers[row];
		else
			column->booleans[kept] = column->booleans[row];
		kept++;
	}
	column->rows = kept;
}

void gemp_row_store_keep(gemp_row_store *store, const uint8_t *keep)
{
	size_t v = (size_t)store->vertex_count, e = (size_t)store->edge_count, kept = 0;
	for (size_t row = 0; row < store->rows; row++) {
		if (!keep[row])
			continue;
		if (kept < row && v)
			memcpy(store->vertices + kept * v, store->vertices + row * v, v * sizeof *store->vertices);
		if (kept < row && e)
			memcpy(store->edges + kept * e, store->edges + row * e, e * sizeof *store->edges);
		kept++;
	}
	for (size_t c = 0; c < store->value_count; c++)
		keep_values(&store->values[c], keep, store->rows);
	store->rows = kept;
}

gemp_batch gemp_row_store_batch(const gemp_row_store *store)
{
	return (gemp_batch){
		.rows = store->rows, .vertex_count = store->vertex_count, .edge_count = store->edge_count,
		.vertices = store->vertices, .edges = store->edges,
		.value_count = store->value_count, .values = store->values,
	};
}

void gemp_row_store_clear(gemp_row_store *store)
{
	store->rows = 0;
	for (size_t c = 0; c < store->value_count; c++)
		store->values[c].rows = 0;
}

void gemp_row_store_free(gemp_row_store *store)
{
	gemp_free(store->vertices);
	gemp_free(store->edges);
	for (size_t c = 0; c < store->value_count; c++)
		gemp_column_free(&store->values[c]);
	gemp_free(store->values);
	*store = (gemp_row_store){ 0 };
}
