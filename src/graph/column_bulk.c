/* Operations on whole columns run on all threads, over chunks of 2^15 rows. A chunk writes only its own rows. Strings
 * need two passes, since the position to which a chunk writes depends on the sizes of all earlier chunks. The first
 * pass sums the sizes of each chunk, prefix sums give the positions, and the second pass copies. */

#include "graph/column_bulk.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { CHUNK = 1 << 15 }; /* rows that a thread takes at a time */

/* Returns the number of rows that a new array of the column must hold. */
static size_t row_capacity(const gemp_column *column)
{
	return gemp_max(column->capacity, column->rows);
}

/* The new array is zeroed, so no row is NULL yet. */
static gemp_code ensure_nulls(gemp_column *column)
{
	return column->null ? GEMP_OK : GEMP_NEW(column->null, row_capacity(column));
}

typedef struct null_scan {
	const gemp_column *column;
	uint8_t wanted;
	atomic_bool found;
} null_scan;

/* Chunks that begin after another chunk has found a row return at once. */
static void scan_nulls_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	null_scan *scan = context;
	if (!atomic_load_explicit(&scan->found, memory_order_relaxed) &&
	    memchr(scan->column->null + begin, scan->wanted, end - begin))
		atomic_store_explicit(&scan->found, true, memory_order_relaxed);
}

/* Searches with all threads until one finds a row. */
static bool any_null_is(const gemp_column *column, uint8_t wanted)
{
	null_scan scan = { .column = column, .wanted = wanted };
	gemp_for_chunks(column->rows, CHUNK, scan_nulls_chunk, &scan);
	return scan.found;
}

/* Without null[] every row has a value. */
bool gemp_column_has_value(const gemp_column *column)
{
	return column->rows && (!column->null || any_null_is(column, 0));
}

/* Other functions rely on the fact that columns without NULLs have no null array. */
void gemp_column_trim_nulls(gemp_column *column)
{
	if (!column->null || any_null_is(column, 1))
		return;
	gemp_free(column->null);
	column->null = NULL;
}

typedef struct fill_task {
	gemp_column *column;
	size_t first, count;
} fill_task;

/* NULL rows have the same bytes as set_value of column.c writes, so that equal columns have equal bytes. */
static void fill_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const fill_task *f = context;
	gemp_column *column = f->column;
	begin += f->first;
	end += f->first;
	memset(column->null + begin, 1, end - begin);
	switch (column->type) {
	case GEMP_INTEGER: memset(column->integers + begin, 0, (end - begin) * sizeof *column->integers); break;
	case GEMP_FLOAT:
		for (size_t row = begin; row < end; row++)
			column->floats[row] = (double)NAN;
		break;
	case GEMP_BOOLEAN: memset(column->booleans + begin, 0, end - begin); break;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t row = begin; row < end; row++)
			column->offsets[row + 1] = column->offsets[f->first];
	}
}

/* The column then counts as loaded, even without rows. */
gemp_code gemp_column_pad(gemp_column *column, size_t rows)
{
	fill_task f = { column, column->rows, rows > column->rows ? rows - column->rows : 0 };
	GEMP_TRY(gemp_column_reserve(column, rows, column->bytes_capacity));
	if (f.count == 0)
		return GEMP_OK;
	GEMP_TRY(ensure_nulls(column));
	gemp_for_chunks(f.count, CHUNK, fill_chunk, &f);
	column->rows = rows;
	return GEMP_OK;
}

typedef struct append_task {
	gemp_column *column;
	const gemp_column *more;
	uint64_t bytes; /* bytes of the column's strings before */
} append_task;

/* Offsets increase by the bytes that the column had before. The strings of a chunk are contiguous and copied
 * together. */
static void append_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const append_task *a = context;
	gemp_column *column = a->column;
	const gemp_column *more = a->more;
	size_t count = end - begin, to = column->rows + begin;
	if (column->null && more->null)
		memcpy(column->null + to, more->null + begin, count);
	else if (column->null)
		memset(column->null + to, 0, count);
	switch (column->type) {
	case GEMP_INTEGER: memcpy(column->integers + to, more->integers + begin, count * sizeof *column->integers); break;
	case GEMP_FLOAT: memcpy(column->floats + to, more->floats + begin, count * sizeof *column->floats); break;
	case GEMP_BOOLEAN: memcpy(column->booleans + to, more->booleans + begin, count); break;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t i = 0; i < count; i++)
			column->offsets[to + i + 1] = a->bytes + more->offsets[begin + i + 1];
		if (more->offsets[begin + count] > more->offsets[begin])
			memcpy(column->bytes + a->bytes + more->offsets[begin], more->bytes + more->offsets[begin],
			       more->offsets[begin + count] - more->offsets[begin]);
	}
}

/* The column grows before the chunks run, since concurrent copies need fixed addresses. */
gemp_code gemp_column_append(gemp_column *column, const gemp_column *more)
{
	append_task a = { .column = column, .more = more };
	uint64_t bytes = 0;
	if (gemp_is_text(column->type)) {
		a.bytes = column->rows ? column->offsets[column->rows] : 0;
		bytes = a.bytes + (more->rows ? more->offsets[more->rows] : 0);
	}
	GEMP_TRY(gemp_column_reserve(column, column->rows + more->rows, bytes));
	if (more->null)
		GEMP_TRY(ensure_nulls(column));
	gemp_for_chunks(more->rows, CHUNK, append_chunk, &a);
	column->rows += more->rows;
	return GEMP_OK;
}

typedef struct to_float_task {
	const gemp_column *column;
	double *floats;
} to_float_task;

/* NULL becomes NaN, as in every column of floats. */
static void to_float_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const to_float_task *w = context;
	const gemp_column *column = w->column;
	for (size_t row = begin; row < end; row++)
		w->floats[row] = column->null && column->null[row] ? (double)NAN : (double)column->integers[row];
}

/* Integers above 2^53 are rounded to the nearest double. */
gemp_code gemp_column_to_float(gemp_column *column)
{
	to_float_task w = { .column = column };
	if (column->integers) {
		GEMP_TRY(GEMP_NEW(w.floats, row_capacity(column)));
		gemp_for_chunks(column->rows, CHUNK, to_float_chunk, &w);
		gemp_free(column->integers);
		column->integers = NULL;
		column->floats = w.floats;
	}
	column->type = GEMP_FLOAT;
	return GEMP_OK;
}

gemp_code gemp_column_fail_infinite(const char *name)
{
	return gemp_fail(GEMP_EDATA,
	                 "the attribute '%s' would be an attribute of JSON, which has no infinite numbers; give it only "
	                 "floats, or finite numbers",
	                 name);
}

gemp_code gemp_column_to_json(gemp_column *column)
{
	GEMP_OWNED_BY(gemp_column_free) gemp_column made = { 0 };
	GEMP_OWNED_BY(gemp_text_free) gemp_text text = { 0 };
	if (column->type == GEMP_LIST)
		return GEMP_OK;
	GEMP_TRY(gemp_column_init(&made, column->name, GEMP_LIST));
	if (gemp_column_loaded(column))
		GEMP_TRY(gemp_column_reserve(&made, column->rows, 0));
	for (size_t row = 0; row < column->rows; row++) {
		const gemp_value value = gemp_column_get(column, row);
		gemp_value json = { .type = GEMP_LIST, .null = value.null };
		if (!value.null && value.type == GEMP_FLOAT && isinf(value.real))
			return gemp_column_fail_infinite(column->name);
		gemp_text_clear(&text);
		gemp_json_value(&text, &value);
		GEMP_TRY(gemp_text_status(&text));
		json.string = (gemp_string){ text.data, text.size };
		GEMP_TRY(gemp_column_add(&made, &json));
	}
	gemp_column_free(column);
	*column = made;
	made = (gemp_column){ 0 };
	return GEMP_OK;
}

gemp_code gemp_column_convert(gemp_column *column, gemp_type type)
{
	if (column->type == type)
		return GEMP_OK;
	return type == GEMP_LIST ? gemp_column_to_json(column) : gemp_column_to_float(column);
}

typedef struct gather_task {
	gemp_column *out;
	const gemp_column *first, *second;
	const uint64_t *picked;
	size_t count;
	/* [chunks] bytes of each chunk's strings, then the position where they begin; NULL for other types */
	uint64_t *sizes;
} gather_task;

/* Returns the column that has element i of the result, and sets *row to its row. Returns NULL if the value is NULL. */
static const gemp_column *locate(const gather_task *g, size_t i, size_t *row)
{
	const gemp_column *column = g->first;
	uint64_t at = g->picked[i];
	if (at >= column->rows) {
		at -= column->rows;
		column = g->second;
	}
	*row = (size_t)at;
	return column->null && column->null[at] ? NULL : column;
}

/* Strings are written from sizes[chunk] on, where the first pass has reserved bytes for them. */
static void gather_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const gather_task *g = context;
	gemp_column *out = g->out;
	uint64_t to = g->sizes ? g->sizes[chunk] : 0;
	for (size_t i = begin; i < end; i++) {
		size_t row = 0;
		const gemp_column *from = locate(g, i, &row);
		if (out->null)
			out->null[i] = !from;
		switch (out->type) {
		case GEMP_INTEGER: out->integers[i] = from ? from->integers[row] : 0; break;
		case GEMP_FLOAT: out->floats[i] = from ? from->floats[row] : (double)NAN; break;
		case GEMP_BOOLEAN: out->booleans[i] = from ? from->booleans[row] : 0; break;
		case GEMP_STRING:
		case GEMP_LIST:
			if (from && from->offsets[row + 1] > from->offsets[row]) {
				memcpy(out->bytes + to, from->bytes + from->offsets[row], from->offsets[row + 1] - from->offsets[row]);
				to += from->offsets[row + 1] - from->offsets[row];
			}
			out->offsets[i + 1] = to;
		}
	}
}

/* First pass of a gather: sums the bytes of the chunk's strings. */
static void size_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const gather_task *g = context;
	uint64_t size = 0;
	for (size_t i = begin; i < end; i++) {
		size_t row = 0;
		const gemp_column *from = locate(g, i, &row);
		size += from ? from->offsets[row + 1] - from->offsets[row] : 0;
	}
	g->sizes[chunk] = size;
}

/* Turns sizes[] into the positions where each chunk's strings begin. Returns the size of all strings. */
static uint64_t place_strings(gather_task *g)
{
	uint64_t bytes = 0;
	gemp_for_chunks(g->count, CHUNK, size_chunk, g);
	for (size_t chunk = 0; chunk < (g->count + CHUNK - 1) / CHUNK; chunk++) {
		uint64_t size = g->sizes[chunk];
		g->sizes[chunk] = bytes;
		bytes += size;
	}
	return bytes;
}

/* Drops null[] if no picked row is NULL, so that equal columns have equal arrays. */
gemp_code gemp_column_gather(gemp_column *out, const gemp_column *first, const gemp_column *second,
                             const uint64_t *picked, size_t count)
{
	uint64_t bytes = 0;
	GEMP_OWNED uint64_t *sizes = NULL;
	GEMP_OWNED_BY(gemp_column_free) gemp_column made = { 0 };
	gather_task g = { .out = &made, .first = first, .second = second, .picked = picked, .count = count };
	*out = made;
	GEMP_TRY(gemp_column_init(&made, first->name, first->type));
	if (gemp_is_text(first->type)) {
		GEMP_TRY(GEMP_NEW(sizes, (count + CHUNK - 1) / CHUNK));
		g.sizes = sizes;
		bytes = place_strings(&g);
	}
	GEMP_TRY(gemp_column_reserve(&made, count, bytes));
	if (first->null || (second && second->null))
		GEMP_TRY(ensure_nulls(&made));
	gemp_for_chunks(count, CHUNK, gather_chunk, &g);
	made.rows = count;
	gemp_column_trim_nulls(&made);
	*out = made;
	made = (gemp_column){ 0 };
	return GEMP_OK;
}

/* The columns keep their order and names. */
gemp_code gemp_table_gather(gemp_table *out, const gemp_table *table, const uint64_t *picked, size_t count)
{
	GEMP_TRY(GEMP_RESERVE(out->columns, out->capacity, table->count));
	for (; out->count < table->count; out->count++)
		GEMP_TRY(gemp_column_gather(&out->columns[out->count], &table->columns[out->count], NULL, picked, count));
	out->rows = count;
	return GEMP_OK;
}

/* Columns are replaced one by one, so that at most one of them exists twice. */
gemp_code gemp_table_permute(gemp_table *table, const uint64_t *order, size_t count)
{
	for (size_t c = 0; c < table->count; c++) {
		gemp_column gathered;
		GEMP_TRY(gemp_column_gather(&gathered, &table->columns[c], NULL, order, count));
		gemp_column_free(&table->columns[c]);
		table->columns[c] = gathered;
	}
	table->rows = count;
	return GEMP_OK;
}

typedef struct scatter_task {
	gemp_column *column;
	const uint64_t *rows;
	size_t count;
	const gemp_column *values;
	bool one;         /* `values` has one row, which all rows get */
	uint64_t *picked; /* strings only: the argument of gemp_column_gather */
} scatter_task;

/* For strings, only the source of each row is recorded, and scatter_strings then gathers. */
static void scatter_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const scatter_task *p = context;
	gemp_column *column = p->column;
	const gemp_column *values = p->values;
	for (size_t i = begin; i < end; i++) {
		size_t row = (size_t)p->rows[i], from = p->one ? 0 : i;
		bool null = values->null && values->null[from];
		if (column->null)
			column->null[row] = null;
		switch (column->type) {
		case GEMP_INTEGER: column->integers[row] = null ? 0 : values->integers[from]; break;
		case GEMP_FLOAT:
			column->floats[row] = null                           ? (double)NAN
			                      : values->type == GEMP_INTEGER ? (double)values->integers[from]
			                                                     : values->floats[from];
			break;
		case GEMP_BOOLEAN: column->booleans[row] = null ? 0 : values->booleans[from]; break;
		case GEMP_STRING:
		case GEMP_LIST: p->picked[row] = column->rows + from;
		}
	}
}

/* Every row keeps its own string, until scatter_chunk redirects the changed rows. */
static void count_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	(void)chunk;
	const scatter_task *p = context;
	for (size_t row = begin; row < end; row++)
		p->picked[row] = row;
}

/* A string cannot be overwritten in place, so the column is gathered anew from its own rows and the new values. */
static gemp_code scatter_strings(scatter_task *p)
{
	GEMP_OWNED uint64_t *picked = NULL;
	gemp_column made;
	GEMP_TRY(GEMP_NEW(picked, p->column->rows));
	p->picked = picked;
	gemp_for_chunks(p->column->rows, CHUNK, count_chunk, p);
	gemp_for_chunks(p->count, CHUNK, scatter_chunk, p);
	GEMP_TRY(gemp_column_gather(&made, p->column, p->values, picked, p->column->rows));
	gemp_column_free(p->column);
	*p->column = made;
	return GEMP_OK;
}

/* Values except strings are written in place. The writes of concurrent chunks do not overlap, since the rows are
 * distinct. */
gemp_code gemp_column_scatter(gemp_column *column, const uint64_t *rows, size_t count, const gemp_column *values)
{
	scatter_task p = { column, rows, count, values, values->rows == 1, NULL };
	if (count == 0)
		return GEMP_OK;
	if (gemp_is_text(column->type))
		return scatter_strings(&p);
	if (values->null)
		GEMP_TRY(ensure_nulls(column));
	gemp_for_chunks(count, CHUNK, scatter_chunk, &p);
	gemp_column_trim_nulls(column);
	return GEMP_OK;
}
