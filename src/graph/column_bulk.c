#include "graph/column_bulk.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { CHUNK = 1 << 15 }; /* rows that a thread takes at a time */

static size_t chunks_of(size_t rows)
{
	return (rows + CHUNK - 1) / CHUNK;
}

static bool is_text(const gemp_column *column)
{
	return column->type == GEMP_STRING || column->type == GEMP_LIST;
}

/* NULLS */

static size_t row_capacity(const gemp_column *column)
{
	return column->capacity > column->rows ? column->capacity : column->rows;
}

static gemp_code ensure_nulls(gemp_column *column)
{
	return column->null ? GEMP_OK : GEMP_NEW(column->null, row_capacity(column));
}

typedef struct null_scan {
	const gemp_column *column;
	uint8_t wanted;
	atomic_bool found;
} null_scan;

static void scan_nulls_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	null_scan *l = context;
	size_t begin = piece * CHUNK, end = gemp_chunk_end(l->column->rows, CHUNK, piece);
	if (!atomic_load_explicit(&l->found, memory_order_relaxed) &&
	    memchr(l->column->null + begin, l->wanted, end - begin))
		atomic_store_explicit(&l->found, true, memory_order_relaxed);
}

static bool any_null_is(const gemp_column *column, uint8_t wanted)
{
	null_scan l = { .column = column, .wanted = wanted };
	gemp_parallel_for(chunks_of(column->rows), scan_nulls_chunk, &l);
	return l.found;
}

bool gemp_column_has_value(const gemp_column *column)
{
	return column->rows && (!column->null || any_null_is(column, 0));
}

void gemp_column_trim_nulls(gemp_column *column)
{
	if (!column->null || any_null_is(column, 1))
		return;
	gemp_free(column->null);
	column->null = NULL;
}

/* MORE ROWS, ANOTHER TYPE */

typedef struct fill_task {
	gemp_column *column;
	size_t first, count;
} fill_task;

static void fill_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const fill_task *f = context;
	gemp_column *column = f->column;
	size_t begin = f->first + piece * CHUNK, end = f->first + gemp_chunk_end(f->count, CHUNK, piece);
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

gemp_code gemp_column_pad(gemp_column *column, size_t rows)
{
	gemp_code code = GEMP_OK;
	fill_task f = { column, column->rows, rows > column->rows ? rows - column->rows : 0 };
	GEMP_TRY(gemp_column_reserve(column, rows, column->bytes_capacity));
	if (f.count == 0)
		return GEMP_OK;
	GEMP_TRY(ensure_nulls(column));
	gemp_parallel_for(chunks_of(f.count), fill_chunk, &f);
	column->rows = rows;
done:
	return code;
}

typedef struct append_task {
	gemp_column *column;
	const gemp_column *more;
	uint64_t bytes; /* of the column's own strings */
} append_task;

static void append_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const append_task *a = context;
	gemp_column *column = a->column;
	const gemp_column *more = a->more;
	size_t begin = piece * CHUNK, count = gemp_chunk_end(more->rows, CHUNK, piece) - begin, to = column->rows + begin;
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

gemp_code gemp_column_append(gemp_column *column, const gemp_column *more)
{
	gemp_code code = GEMP_OK;
	append_task a = { .column = column, .more = more };
	uint64_t bytes = 0;
	if (is_text(column)) {
		a.bytes = column->rows ? column->offsets[column->rows] : 0;
		bytes = a.bytes + (more->rows ? more->offsets[more->rows] : 0);
	}
	GEMP_TRY(gemp_column_reserve(column, column->rows + more->rows, bytes));
	if (more->null)
		GEMP_TRY(ensure_nulls(column));
	gemp_parallel_for(chunks_of(more->rows), append_chunk, &a);
	column->rows += more->rows;
done:
	return code;
}

typedef struct to_float_task {
	const gemp_column *column;
	double *floats;
} to_float_task;

static void to_float_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const to_float_task *w = context;
	const gemp_column *column = w->column;
	for (size_t row = piece * CHUNK; row < gemp_chunk_end(column->rows, CHUNK, piece); row++)
		w->floats[row] = column->null && column->null[row] ? (double)NAN : (double)column->integers[row];
}

gemp_code gemp_column_to_float(gemp_column *column)
{
	gemp_code code = GEMP_OK;
	to_float_task w = { .column = column };
	if (column->integers) {
		GEMP_TRY(GEMP_NEW(w.floats, row_capacity(column)));
		gemp_parallel_for(chunks_of(column->rows), to_float_chunk, &w);
		gemp_free(column->integers);
		column->integers = NULL;
		column->floats = w.floats;
	}
	column->type = GEMP_FLOAT;
done:
	return code;
}

/* ROWS OF ONE OR TWO COLUMNS */

typedef struct gather_task {
	gemp_column *out;
	const gemp_column *first, *second;
	const uint64_t *picked;
	size_t count;
	uint64_t *sizes; /* of the strings of each piece, then where they begin */
} gather_task;

/* The column and the row in it; NULL: the value is. */
static const gemp_column *find(const gather_task *g, size_t i, size_t *row)
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

static void gather_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gather_task *g = context;
	gemp_column *out = g->out;
	uint64_t to = g->sizes ? g->sizes[piece] : 0;
	for (size_t i = piece * CHUNK; i < gemp_chunk_end(g->count, CHUNK, piece); i++) {
		size_t row = 0;
		const gemp_column *from = find(g, i, &row);
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

static void size_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gather_task *g = context;
	uint64_t size = 0;
	for (size_t i = piece * CHUNK; i < gemp_chunk_end(g->count, CHUNK, piece); i++) {
		size_t row = 0;
		const gemp_column *from = find(g, i, &row);
		size += from ? from->offsets[row + 1] - from->offsets[row] : 0;
	}
	g->sizes[piece] = size;
}

/* Where the strings of each piece begin; *bytes: of all. */
static gemp_code place_strings(gather_task *g, uint64_t *bytes)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(g->sizes, chunks_of(g->count)));
	gemp_parallel_for(chunks_of(g->count), size_chunk, g);
	for (size_t piece = 0; piece < chunks_of(g->count); piece++) {
		uint64_t size = g->sizes[piece];
		g->sizes[piece] = *bytes;
		*bytes += size;
	}
done:
	return code;
}

gemp_code gemp_column_gather(gemp_column *out, const gemp_column *first, const gemp_column *second,
                             const uint64_t *picked, size_t count)
{
	gemp_code code = GEMP_OK;
	uint64_t bytes = 0;
	gather_task g = { .out = out, .first = first, .second = second, .picked = picked, .count = count };
	GEMP_TRY(gemp_column_init(out, first->name, first->type));
	if (is_text(first))
		GEMP_TRY(place_strings(&g, &bytes));
	GEMP_TRY(gemp_column_reserve(out, count, bytes));
	if (first->null || (second && second->null))
		GEMP_TRY(ensure_nulls(out));
	gemp_parallel_for(chunks_of(count), gather_chunk, &g);
	out->rows = count;
	gemp_column_trim_nulls(out);
done:
	gemp_free(g.sizes);
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}

gemp_code gemp_table_gather(gemp_table *out, const gemp_table *table, const uint64_t *picked, size_t count)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(out->columns, out->capacity, table->count));
	for (; out->count < table->count; out->count++)
		GEMP_TRY(gemp_column_gather(&out->columns[out->count], &table->columns[out->count], NULL, picked, count));
	out->rows = count;
done:
	return code;
}

gemp_code gemp_column_permute(gemp_column *column, const uint64_t *order, size_t count)
{
	gemp_column gathered;
	gemp_code code = gemp_column_gather(&gathered, column, NULL, order, count);
	if (code == GEMP_OK) {
		gemp_column_free(column);
		*column = gathered;
	}
	return code;
}

gemp_code gemp_table_permute(gemp_table *table, const uint64_t *order, size_t count)
{
	gemp_code code = GEMP_OK;
	for (size_t c = 0; c < table->count && code == GEMP_OK; c++)
		code = gemp_column_permute(&table->columns[c], order, count);
	table->rows = count;
	return code;
}

/* CHOSEN ROWS */

typedef struct scatter_task {
	gemp_column *column;
	const uint64_t *rows;
	size_t count;
	const gemp_column *values;
	bool one;         /* value for all */
	uint64_t *picked; /* of strings: as gemp_column_gather has it */
} scatter_task;

static void scatter_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const scatter_task *p = context;
	gemp_column *column = p->column;
	const gemp_column *values = p->values;
	for (size_t i = piece * CHUNK; i < gemp_chunk_end(p->count, CHUNK, piece); i++) {
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

static void count_chunk(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const scatter_task *p = context;
	for (size_t row = piece * CHUNK; row < gemp_chunk_end(p->column->rows, CHUNK, piece); row++)
		p->picked[row] = row;
}

static gemp_code scatter_strings(scatter_task *p)
{
	gemp_code code = GEMP_OK;
	gemp_column made = { 0 };
	GEMP_TRY(GEMP_NEW(p->picked, p->column->rows));
	gemp_parallel_for(chunks_of(p->column->rows), count_chunk, p);
	gemp_parallel_for(chunks_of(p->count), scatter_chunk, p);
	GEMP_TRY(gemp_column_gather(&made, p->column, p->values, p->picked, p->column->rows));
	gemp_column_free(p->column);
	*p->column = made;
done:
	gemp_free(p->picked);
	return code;
}

gemp_code gemp_column_scatter(gemp_column *column, const uint64_t *rows, size_t count, const gemp_column *values)
{
	gemp_code code = GEMP_OK;
	scatter_task p = { column, rows, count, values, values->rows == 1, NULL };
	if (count == 0)
		return GEMP_OK;
	if (is_text(column))
		return scatter_strings(&p);
	if (values->null)
		GEMP_TRY(ensure_nulls(column));
	gemp_parallel_for(chunks_of(count), scatter_chunk, &p);
	gemp_column_trim_nulls(column);
done:
	return code;
}
