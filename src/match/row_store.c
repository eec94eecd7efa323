#include "match/row_store.h"

#include "core/memory.h"

#include <string.h>

gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(batch->value_count == 0 && !batch->multiplicity);
	GEMP_CHECK(store->rows == 0 ||
	           (store->vertex_count == batch->vertex_count && store->edge_count == batch->edge_count));
	store->vertex_count = batch->vertex_count;
	store->edge_count = batch->edge_count;
	size_t v = (size_t)batch->vertex_count, e = (size_t)batch->edge_count, all = store->rows + rows;
	GEMP_TRY(GEMP_RESERVE(store->vertices, store->vertex_capacity, all * v));
	GEMP_TRY(GEMP_RESERVE(store->edges, store->edge_capacity, all * e));
	if (rows && v)
		memcpy(store->vertices + store->rows * v, batch->vertices, rows * v * sizeof *store->vertices);
	if (rows && e)
		memcpy(store->edges + store->rows * e, batch->edges, rows * e * sizeof *store->edges);
	store->rows = all;
done:
	return code;
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
	store->rows = kept;
}

gemp_batch gemp_row_store_batch(const gemp_row_store *store)
{
	return (gemp_batch){
		.rows = store->rows, .vertex_count = store->vertex_count, .edge_count = store->edge_count,
		.vertices = store->vertices, .edges = store->edges,
	};
}

void gemp_row_store_clear(gemp_row_store *store)
{
	store->rows = 0;
}

void gemp_row_store_free(gemp_row_store *store)
{
	gemp_free(store->vertices);
	gemp_free(store->edges);
	*store = (gemp_row_store){ 0 };
}
