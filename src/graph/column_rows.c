/* Strings take two passes over chunks of rows: the first one sums the sizes of each chunk's strings, and the second one
 * copies them to the place that the prefix sums give. */

#include "graph/column_rows.h"

#include "core/memory.h"
#include "core/threads.h"
#include "graph/column_bulk.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum {
	CHUNK = 1 << 13, /* rows that a thread takes at a time */
	BLOCK = 16,      /* bytes of a short string that are copied together, whatever its size */
	AHEAD = 16,      /* rows between the request for the bytes of a string and their use */
};

typedef struct rows_task {
	gemp_column *column;
	const gemp_column *from;
	const uint32_t *rows;
	size_t before; /* rows of the column before */
	atomic_bool has_null;
	uint64_t *begin; /* [chunks + 1] where a chunk's strings begin in the column; only for strings */
} rows_task;

static bool is_null(const rows_task *t, uint32_t row)
{
	return row == GEMP_NO_ROW || (t->from->null && t->from->null[row]);
}

static void measure_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const rows_task *t = context;
	const uint64_t *offsets = t->from->offsets;
	uint64_t bytes = 0;
	for (size_t i = begin; i < end; i++)
		if (t->rows[i] != GEMP_NO_ROW)
			bytes += offsets[t->rows[i] + 1] - offsets[t->rows[i]];
	t->begin[chunk + 1] = bytes;
}

/* Most strings are short. They are copied as a block of fixed size if neither column ends before it, which needs no
 * call and no branch by size. The bytes behind the string are overwritten by the next string. */
static void copy_strings(const rows_task *t, size_t chunk, size_t begin, size_t end)
{
	const gemp_column *from = t->from;
	uint64_t *offsets = t->column->offsets + t->before + 1;
	char *bytes = t->column->bytes;
	uint64_t at = t->begin[chunk];
	const uint64_t stop = t->begin[chunk + 1], source_end = from->rows ? from->offsets[from->rows] : 0;
	for (size_t i = begin; i < end; i++) {
		const uint32_t row = t->rows[i], later = i + AHEAD < end ? t->rows[i + AHEAD] : GEMP_NO_ROW;
		if (later != GEMP_NO_ROW)
			__builtin_prefetch(from->bytes + from->offsets[later]);
		const uint64_t first = row == GEMP_NO_ROW ? 0 : from->offsets[row];
		const uint64_t size = row == GEMP_NO_ROW ? 0 : from->offsets[row + 1] - first;
		if (size <= BLOCK && at + BLOCK <= stop && first + BLOCK <= source_end)
			memcpy(bytes + at, from->bytes + first, BLOCK);
		else if (size)
			memcpy(bytes + at, from->bytes + first, size);
		at += size;
		offsets[i] = at;
	}
}

static void copy_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	const rows_task *t = context;
	gemp_column *column = t->column;
	const gemp_column *from = t->from;
	const size_t before = t->before;
	for (size_t i = begin; i < end && column->null; i++)
		column->null[before + i] = is_null(t, t->rows[i]);
	switch (column->type) {
	case GEMP_INTEGER:
		for (size_t i = begin; i < end; i++)
			column->integers[before + i] = t->rows[i] == GEMP_NO_ROW ? 0 : from->integers[t->rows[i]];
		break;
	case GEMP_FLOAT:
		for (size_t i = begin; i < end; i++)
			column->floats[before + i] = t->rows[i] == GEMP_NO_ROW ? (double)NAN : from->floats[t->rows[i]];
		break;
	case GEMP_BOOLEAN:
		for (size_t i = begin; i < end; i++)
			column->booleans[before + i] = t->rows[i] != GEMP_NO_ROW && from->booleans[t->rows[i]];
		break;
	case GEMP_STRING:
	case GEMP_LIST: copy_strings(t, chunk, begin, end);
	}
}

/* The loops have no exit, so that the compiler makes vector code of the first one. */
static void find_null_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
	rows_task *t = context;
	bool found = false;
	(void)chunk;
	for (size_t i = begin; i < end; i++)
		found |= t->rows[i] == GEMP_NO_ROW;
	for (size_t i = begin; i < end && t->from->null; i++)
		found |= is_null(t, t->rows[i]);
	if (found)
		atomic_store_explicit(&t->has_null, true, memory_order_relaxed);
}

static gemp_code measure_strings(rows_task *t, size_t count)
{
	const size_t chunks = (count + CHUNK - 1) / CHUNK;
	GEMP_TRY(GEMP_NEW(t->begin, chunks + 1));
	gemp_for_chunks(count, CHUNK, measure_chunk, t);
	t->begin[0] = t->before ? t->column->offsets[t->before] : 0;
	for (size_t i = 0; i < chunks; i++)
		t->begin[i + 1] += t->begin[i];
	return gemp_column_grow(t->column, t->before + count, t->begin[chunks]);
}

/* The NULL array is made only if one of the rows is NULL, as in every column. */
static gemp_code append_rows(rows_task *t, size_t count)
{
	gemp_column *column = t->column;
	if (gemp_is_text(column->type))
		GEMP_TRY(measure_strings(t, count));
	else
		GEMP_TRY(gemp_column_grow(column, t->before + count, 0));
	if (!column->null)
		gemp_for_chunks(count, CHUNK, find_null_chunk, t);
	if (t->has_null)
		GEMP_TRY(GEMP_NEW(column->null, column->capacity));
	gemp_for_chunks(count, CHUNK, copy_chunk, t);
	column->rows += count;
	return GEMP_OK;
}

gemp_code gemp_column_append_rows(gemp_column *column, const gemp_column *from, const uint32_t *rows, size_t count)
{
	rows_task t = { .column = column, .from = from, .rows = rows, .before = column->rows };
	const gemp_code code = append_rows(&t, count);
	gemp_free(t.begin);
	return code;
}

gemp_code gemp_column_extend(gemp_column *column, const gemp_column *more)
{
	const bool text = gemp_is_text(column->type) && more->rows;
	const uint64_t before = text && column->rows ? column->offsets[column->rows] : 0;
	GEMP_TRY(gemp_column_grow(column, column->rows + more->rows, text ? before + more->offsets[more->rows] : 0));
	return gemp_column_append(column, more);
}
