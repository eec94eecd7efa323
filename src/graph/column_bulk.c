#include "graph/column_bulk.h"

#include "core/memory.h"
#include "core/threads.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { PIECE = 1 << 15 }; /* rows that a thread takes at a time */

static size_t pieces_of(size_t rows)
{
	return (rows + PIECE - 1) / PIECE;
}

static size_t end_of(size_t piece, size_t rows)
{
	return (piece + 1) * PIECE < rows ? (piece + 1) * PIECE : rows;
}

static bool is_text(const gemp_column *column)
{
	return column->type == GEMP_STRING || column->type == GEMP_LIST;
}

/* NULLS */

static size_t room(const gemp_column *column)
{
	return column->capacity > column->rows ? column->capacity : column->rows;
}

static gemp_code need_nulls(gemp_column *column)
{
	return column->null ? GEMP_OK : GEMP_NEW(column->null, room(column));
}

typedef struct looking {
	const gemp_column *column;
	uint8_t wanted;
	atomic_bool found;
} looking;

static void look_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	looking *l = context;
	size_t begin = piece * PIECE, end = end_of(piece, l->column->rows);
	if (!atomic_load_explicit(&l->found, memory_order_relaxed) && memchr(l->column->null + begin, l->wanted, end - begin))
		atomic_store_explicit(&l->found, true, memory_order_relaxed);
}

static bool some_null_is(const gemp_column *column, uint8_t wanted)
{
	looking l = { .column = column, .wanted = wanted };
	gemp_parallel_for(pieces_of(column->rows), look_piece, &l);
	return l.found;
}

bool gemp_column_any(const gemp_column *column)
{
	return column->rows && (!column->null || some_null_is(column, 0));
}

void gemp_column_tidy(gemp_column *column)
{
	if (!column->null || some_null_is(column, 1))
		return;
	gemp_free(column->null);
	column->null = NULL;
}

/* MORE ROWS, ANOTHER TYPE */

typedef struct filling {
	gemp_column *column;
	size_t first, count;
} filling;

static void fill_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const filling *f = context;
	gemp_column *column = f->column;
	size_t begin = f->first + piece * PIECE, end = f->first + end_of(piece, f->count);
	memset(column->null + begin, 1, end - begin);
	switch (column->type) {
	case GEMP_INTEGER:
		memset(column->integers + begin, 0, (end - begin) * sizeof *column->integers);
		break;
	case GEMP_FLOAT:
		for (size_t row = begin; row < end; row++)
			column->floats[row] = (double)NAN;
		break;
	case GEMP_BOOLEAN:
		memset(column->booleans + begin, 0, end - begin);
		break;
	case GEMP_STRING:
	case GEMP_LIST:
		for (size_t row = begin; row < end; row++)
			column->offsets[row + 1] = column->offsets[f->first];
	}
}

gemp_code gemp_column_grow(gemp_column *column, size_t rows)
{
	gemp_code code = GEMP_OK;
	filling f = { column, column->rows, rows > column->rows ? rows - column->rows : 0 };
	GEMP_TRY(gemp_column_reserve(column, rows, column->bytes_capacity));
	if (f.count == 0)
		return GEMP_OK;
	GEMP_TRY(need_nulls(column));
	gemp_parallel_for(pieces_of(f.count), fill_piece, &f);
	column->rows = rows;
done:
	return code;
}

typedef struct appending {
	gemp_column *column;
	const gemp_column *more;
	uint64_t bytes; /* of the column's own strings */
} appending;

static void append_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const appending *a = context;
	gemp_column *column = a->column;
	const gemp_column *more = a->more;
	size_t begin = piece * PIECE, count = end_of(piece, more->rows) - begin, to = column->rows + begin;
	if (column->null && more->null)
		memcpy(column->null + to, more->null + begin, count);
	else if (column->null)
		memset(column->null + to, 0, count);
	switch (column->type) {
	case GEMP_INTEGER:
		memcpy(column->integers + to, more->integers + begin, count * sizeof *column->integers);
		break;
	case GEMP_FLOAT:
		memcpy(column->floats + to, more->floats + begin, count * sizeof *column->floats);
		break;
	case GEMP_BOOLEAN:
		memcpy(column->booleans + to, more->booleans + begin, count);
		break;
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
	appending a = { .column = column, .more = more };
	uint64_t bytes = 0;
	if (is_text(column)) {
		a.bytes = column->rows ? column->offsets[column->rows] : 0;
		bytes = a.bytes + (more->rows ? more->offsets[more->rows] : 0);
	}
	GEMP_TRY(gemp_column_reserve(column, column->rows + more->rows, bytes));
	if (more->null)
		GEMP_TRY(need_nulls(column));
	gemp_parallel_for(pieces_of(more->rows), append_piece, &a);
	column->rows += more->rows;
done:
	return code;
}

typedef struct widening {
	const gemp_column *column;
	double *floats;
} widening;

static void widen_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const widening *w = context;
	const gemp_column *column = w->column;
	for (size_t row = piece * PIECE; row < end_of(piece, column->rows); row++)
		w->floats[row] = column->null && column->null[row] ? (double)NAN : (double)column->integers[row];
}

gemp_code gemp_column_widen(gemp_column *column)
{
	gemp_code code = GEMP_OK;
	widening w = { .column = column };
	if (column->integers) {
		GEMP_TRY(GEMP_NEW(w.floats, room(column)));
		gemp_parallel_for(pieces_of(column->rows), widen_piece, &w);
		gemp_free(column->integers);
		column->integers = NULL;
		column->floats = w.floats;
	}
	column->type = GEMP_FLOAT;
done:
	return code;
}

/* ROWS OF ONE OR TWO COLUMNS */

typedef struct gathering {
	gemp_column *out;
	const gemp_column *first, *second;
	const uint64_t *picked;
	size_t count;
	uint64_t *sizes; /* of the strings of each piece, then where they begin */
} gathering;

/* The column and the row in it; NULL: the value is. */
static const gemp_column *find(const gathering *g, size_t i, size_t *row)
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

static void gather_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gathering *g = context;
	gemp_column *out = g->out;
	uint64_t to = g->sizes ? g->sizes[piece] : 0;
	for (size_t i = piece * PIECE; i < end_of(piece, g->count); i++) {
		size_t row = 0;
		const gemp_column *from = find(g, i, &row);
		if (out->null)
			out->null[i] = !from;
		switch (out->type) {
		case GEMP_INTEGER:
			out->integers[i] = from ? from->integers[row] : 0;
			break;
		case GEMP_FLOAT:
			out->floats[i] = from ? from->floats[row] : (double)NAN;
			break;
		case GEMP_BOOLEAN:
			out->booleans[i] = from ? from->booleans[row] : 0;
			break;
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

static void size_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const gathering *g = context;
	uint64_t size = 0;
	for (size_t i = piece * PIECE; i < end_of(piece, g->count); i++) {
		size_t row = 0;
		const gemp_column *from = find(g, i, &row);
		size += from ? from->offsets[row + 1] - from->offsets[row] : 0;
	}
	g->sizes[piece] = size;
}

/* Where the strings of each piece begin; *bytes: of all. */
static gemp_code place_strings(gathering *g, uint64_t *bytes)
{
	gemp_code code = GEMP_OK;
	GEMP_TRY(GEMP_NEW(g->sizes, pieces_of(g->count)));
	gemp_parallel_for(pieces_of(g->count), size_piece, g);
	for (size_t piece = 0; piece < pieces_of(g->count); piece++) {
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
	gathering g = { .out = out, .first = first, .second = second, .picked = picked, .count = count };
	GEMP_TRY(gemp_column_init(out, first->name, first->type));
	if (is_text(first))
		GEMP_TRY(place_strings(&g, &bytes));
	GEMP_TRY(gemp_column_reserve(out, count, bytes));
	if (first->null || (second && second->null))
		GEMP_TRY(need_nulls(out));
	gemp_parallel_for(pieces_of(count), gather_piece, &g);
	out->rows = count;
	gemp_column_tidy(out);
done:
	gemp_free(g.sizes);
	if (code != GEMP_OK)
		gemp_column_free(out);
	return code;
}

/* CHOSEN ROWS */

typedef struct putting {
	gemp_column *column;
	const uint64_t *rows;
	size_t count;
	const gemp_column *values;
	bool one;         /* value for all */
	uint64_t *picked; /* of strings: as gemp_column_gather has it */
} putting;

static void put_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const putting *p = context;
	gemp_column *column = p->column;
	const gemp_column *values = p->values;
	for (size_t i = piece * PIECE; i < end_of(piece, p->count); i++) {
		size_t row = (size_t)p->rows[i], from = p->one ? 0 : i;
		bool null = values->null && values->null[from];
		if (column->null)
			column->null[row] = null;
		switch (column->type) {
		case GEMP_INTEGER:
			column->integers[row] = null ? 0 : values->integers[from];
			break;
		case GEMP_FLOAT:
			column->floats[row] = null ? (double)NAN
			                    : values->type == GEMP_INTEGER ? (double)values->integers[from] : values->floats[from];
			break;
		case GEMP_BOOLEAN:
			column->booleans[row] = null ? 0 : values->booleans[from];
			break;
		case GEMP_STRING:
		case GEMP_LIST:
			p->picked[row] = column->rows + from;
		}
	}
}

static void count_piece(void *context, unsigned thread, size_t piece)
{
	(void)thread;
	const putting *p = context;
	for (size_t row = piece * PIECE; row < end_of(piece, p->column->rows); row++)
		p->picked[row] = row;
}

static gemp_code put_strings(putting *p)
{
	gemp_code code = GEMP_OK;
	gemp_column made = { 0 };
	GEMP_TRY(GEMP_NEW(p->picked, p->column->rows));
	gemp_parallel_for(pieces_of(p->column->rows), count_piece, p);
	gemp_parallel_for(pieces_of(p->count), put_piece, p);
	GEMP_TRY(gemp_column_gather(&made, p->column, p->values, p->picked, p->column->rows));
	gemp_column_free(p->column);
	*p->column = made;
done:
	gemp_free(p->picked);
	return code;
}

gemp_code gemp_column_put(gemp_column *column, const uint64_t *rows, size_t count, const gemp_column *values)
{
	gemp_code code = GEMP_OK;
	putting p = { column, rows, count, values, values->rows == 1, NULL };
	if (count == 0)
		return GEMP_OK;
	if (is_text(column))
		return put_strings(&p);
	if (values->null)
		GEMP_TRY(need_nulls(column));
	gemp_parallel_for(pieces_of(count), put_piece, &p);
	gemp_column_tidy(column);
done:
	return code;
}
