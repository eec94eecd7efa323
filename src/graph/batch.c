/* A row store copies its rows, since the device fills the buffers of a batch again. Vertices and edges are two arrays
 * row by row. Values are columns, because each has its own type. */

#include "graph/batch.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

/* The first batch determines the store's columns of values. All later batches of a search have the same columns. */
static gemp_code begin_values(gemp_row_store *store, const gemp_batch *batch)
{
	GEMP_TRY(GEMP_NEW(store->values, batch->value_count));
	for (; store->value_count < batch->value_count; store->value_count++) {
		const gemp_column *from = &batch->values[store->value_count];
		GEMP_CHECK(from->type == GEMP_INTEGER || from->type == GEMP_BOOLEAN);
		GEMP_TRY(gemp_column_init(&store->values[store->value_count], from->name, from->type));
	}
	return GEMP_OK;
}

/* Values are the results of sub-patterns. They are added one by one, because gemp_column_append grows a column to the
 * exact size and many small batches would copy the column each time. */
static gemp_code add_values(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	if (batch->value_count && !store->values)
		GEMP_TRY(begin_values(store, batch));
	GEMP_CHECK(store->value_count == batch->value_count);
	for (size_t c = 0; c < store->value_count; c++)
		for (size_t row = 0; row < rows; row++) {
			gemp_value value = gemp_column_get(&batch->values[c], row);
			GEMP_TRY(gemp_column_add(&store->values[c], &value));
		}
	return GEMP_OK;
}

/* The array is filled when the first batch with multiplicities comes. Earlier rows get 1. */
static gemp_code add_multiplicity(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	const size_t before = store->rows;
	if ((!batch->multiplicity && !store->counted) || !rows)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(store->multiplicity, store->multiplicity_capacity, before + rows));
	for (size_t row = 0; row < before && !store->counted; row++)
		store->multiplicity[row] = 1;
	for (size_t row = 0; row < rows; row++)
		store->multiplicity[before + row] = batch->multiplicity ? batch->multiplicity[row] : 1;
	store->counted = true;
	return GEMP_OK;
}

/* store->rows grows only after all arrays have grown. If memory runs out in add_values, the columns of values may
 * already have some of the new rows. */
gemp_code gemp_row_store_add(gemp_row_store *store, const gemp_batch *batch, size_t rows)
{
	GEMP_CHECK(store->rows == 0 ||
	           (store->vertex_count == batch->vertex_count && store->edge_count == batch->edge_count));
	store->vertex_count = batch->vertex_count;
	store->edge_count = batch->edge_count;
	size_t v = (size_t)batch->vertex_count, e = (size_t)batch->edge_count, all = store->rows + rows;
	GEMP_TRY(GEMP_RESERVE(store->vertices, store->vertex_capacity, all * v));
	GEMP_TRY(GEMP_RESERVE(store->edges, store->edge_capacity, all * e));
	GEMP_TRY(add_multiplicity(store, batch, rows));
	GEMP_TRY(add_values(store, batch, rows));
	if (rows && v)
		gemp_parallel_copy(store->vertices + store->rows * v, batch->vertices, rows * v * sizeof *store->vertices);
	if (rows && e)
		gemp_parallel_copy(store->edges + store->rows * e, batch->edges, rows * e * sizeof *store->edges);
	store->rows = all;
	return GEMP_OK;
}

/* Moves the values of the kept rows to the front. Values are integers or booleans (begin_values). */
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

gemp_row_store gemp_row_store_part(const gemp_row_store *store, size_t first, size_t count)
{
	return (gemp_row_store){ .rows = count,
		                     .vertex_count = store->vertex_count,
		                     .edge_count = store->edge_count,
		                     .vertices = store->vertices ? store->vertices + first * (size_t)store->vertex_count : NULL,
		                     .edges = store->edges ? store->edges + first * (size_t)store->edge_count : NULL,
		                     .values = store->values };
}

/* Kept rows move up in place, in their order, so the call needs no memory and cannot fail. */
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
		if (store->counted)
			store->multiplicity[kept] = store->multiplicity[row];
		kept++;
	}
	for (size_t c = 0; c < store->value_count; c++)
		keep_values(&store->values[c], keep, store->rows);
	store->rows = kept;
}

/* The batch borrows the arrays of the store. It is invalid after rows are added or cleared. */
gemp_batch gemp_row_store_batch(const gemp_row_store *store)
{
	return (gemp_batch){
		.rows = store->rows,
		.vertex_count = store->vertex_count,
		.edge_count = store->edge_count,
		.vertices = store->vertices,
		.edges = store->edges,
		.value_count = store->value_count,
		.values = store->values,
		.multiplicity = store->counted ? store->multiplicity : NULL,
	};
}

/* Keeps the memory for the rows of the next round. */
void gemp_row_store_clear(gemp_row_store *store)
{
	store->rows = 0;
	store->counted = false;
	for (size_t c = 0; c < store->value_count; c++)
		store->values[c].rows = 0;
}

/* The store is then empty and can be used again. */
void gemp_row_store_free(gemp_row_store *store)
{
	gemp_free_all(store->vertices, store->edges, store->multiplicity);
	for (size_t c = 0; c < store->value_count; c++)
		gemp_column_free(&store->values[c]);
	gemp_free(store->values);
	*store = (gemp_row_store){ 0 };
}

/* The next sink processes whole batches, so a caller that makes single rows collects them in the store first. The store
 * is also cleared after a failure, which ends the search. */
gemp_code gemp_row_store_pass(gemp_row_store *store, const gemp_sink *next)
{
	gemp_batch batch = gemp_row_store_batch(store);
	gemp_code code = batch.rows ? next->consume(next->self, &batch) : GEMP_OK;
	gemp_row_store_clear(store);
	return code;
}

/* Engines call this for the first sink of a chain, once a batch, so clocks cost nothing beside the rows. */
gemp_code gemp_sink_deliver(const gemp_sink *sink, const gemp_batch *batch, gemp_timers *timers)
{
	const double began = gemp_now(), before = gemp_timers_sum(timers);
	const gemp_code code = sink->consume(sink->self, batch);
	gemp_timers_add_rest(timers, GEMP_PHASE_DELIVER, began, before);
	return code;
}

gemp_code gemp_sink_end_round(const gemp_sink *sink, bool last, bool *enough, bool *again, gemp_timers *timers)
{
	const double began = gemp_now(), before = gemp_timers_sum(timers);
	const gemp_code code = sink->end_round(sink->self, last, enough, again);
	gemp_timers_add_rest(timers, GEMP_PHASE_DELIVER, began, before);
	return code;
}

/* A store has no limit of its own; the caller of the search bounds the rows of a round. */
static gemp_code store_batch(void *self, const gemp_batch *batch)
{
	return gemp_row_store_add(self, batch, batch->rows);
}

/* A sink that only collects never has enough rows, and never needs the same rows again. */
gemp_code gemp_sink_keep_collecting(void *self, bool last, bool *enough, bool *again)
{
	(void)self;
	(void)last;
	(void)enough;
	(void)again;
	return GEMP_OK;
}

/* The caller owns the store, so the sink has nothing to free. */
gemp_sink gemp_row_store_sink(gemp_row_store *store)
{
	return (gemp_sink){ .self = store, .consume = store_batch, .end_round = gemp_sink_keep_collecting };
}

/* Returns the part of vertex `id` if ids are divided into `parts` equal ranges: the inverse of equal_range_begin in
 * graph.c. */
static uint64_t part_of(uint64_t id, uint64_t parts, uint64_t vertices)
{
	return ((id + 1) * parts - 1) / vertices;
}

/* True if all vertices of the match lie in one of `parts` parts. */
static bool lies_in_one_part(const gemp_vertex *ids, int count, uint64_t parts, uint64_t vertices)
{
	uint64_t first = part_of(ids[0], parts, vertices);
	for (int i = 1; i < count; i++)
		if (part_of(ids[i], parts, vertices) != first)
			return false;
	return true;
}

/* Counts rows only in the first pass, since later passes of deduplication bring the same rows again. */
static gemp_code count_rows(void *self, const gemp_batch *batch)
{
	gemp_count_sink *tally = self;
	if (!tally->first_pass_done)
		tally->rows += batch->rows + batch->left_out;
	for (int i = 0; tally->parts && !tally->first_pass_done && i < GEMP_PART_STEPS; i++)
		for (size_t row = 0; row < batch->rows; row++)
			tally->within[i] += lies_in_one_part(batch->vertices + row * (size_t)batch->vertex_count,
			                                     batch->vertex_count, UINT64_C(1) << i, tally->vertices);
	return tally->next ? tally->next->consume(tally->next->self, batch) : GEMP_OK;
}

/* The end of the first pass is recorded before the next sink runs, which may request a second pass. */
static gemp_code count_end_round(void *self, bool last, bool *enough, bool *again)
{
	gemp_count_sink *tally = self;
	tally->first_pass_done |= last;
	return tally->next ? tally->next->end_round(tally->next->self, last, enough, again) : GEMP_OK;
}

/* The caller owns the struct and reads the counts after the search. */
gemp_sink gemp_count_sink_of(gemp_count_sink *tally)
{
	return (gemp_sink){ .self = tally, .consume = count_rows, .end_round = count_end_round };
}
