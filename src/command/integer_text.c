#include "command/integer_text.h"

#include "core/memory.h"
#include "core/threads.h"

#include <string.h>

enum { PIECE = 1 << 12 }; /* rows that one thread writes at a time */

bool gemp_only_integers(const gemp_projected *columns, size_t count)
{
	bool only = count > 0;
	for (size_t c = 0; c < count; c++)
		only = only && !columns[c].edge && columns[c].value.type == GEMP_INTEGER && !columns[c].value.null;
	return only;
}

static uint64_t magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static size_t digits_of(uint64_t number)
{
	size_t digits = 1;
	for (; number >= 10000; number /= 10000)
		digits += 4;
	return digits + (number >= 10) + (number >= 100) + (number >= 1000);
}

static char *put_number(char *to, int64_t value)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
		"5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";
	uint64_t number = magnitude(value);
	*to = '-';
	to += value < 0;
	char *end = to + digits_of(number), *at = end;
	for (; number >= 100; number /= 100)
		memcpy(at -= 2, pairs + number % 100 * 2, 2);
	if (number >= 10)
		memcpy(at - 2, pairs + number * 2, 2);
	else
		at[-1] = (char)('0' + number);
	return end;
}

typedef struct writing {
	const gemp_projected *columns;
	size_t count, rows;
	const char *const *before;
	const char *after;
	size_t *length;    /* [count] of before */
	size_t after_length, fixed; /* bytes that all rows have */
	size_t *begin;     /* [pieces] place of each; at first its size */
	char *to;
} writing;

static size_t piece_end(const writing *w, size_t piece)
{
	return w->rows - piece * PIECE < PIECE ? w->rows : (piece + 1) * PIECE;
}

static void measure_piece(void *context, unsigned thread, size_t piece)
{
	writing *w = context;
	size_t first = piece * PIECE, end = piece_end(w, piece), bytes = (end - first) * w->fixed;
	(void)thread;
	for (size_t c = 0; c < w->count; c++) {
		const int64_t *values = w->columns[c].value.integers;
		for (size_t row = first; row < end; row++)
			bytes += digits_of(magnitude(values[row])) + (values[row] < 0);
	}
	w->begin[piece] = bytes;
}

static char *put_bytes(char *to, const char *bytes, size_t size)
{
	if (size == 1)
		*to = *bytes;
	else
		memcpy(to, bytes, size);
	return to + size;
}

static void write_piece(void *context, unsigned thread, size_t piece)
{
	writing *w = context;
	char *to = w->to + w->begin[piece];
	(void)thread;
	for (size_t row = piece * PIECE; row < piece_end(w, piece); row++) {
		for (size_t c = 0; c < w->count; c++)
			to = put_number(put_bytes(to, w->before[c], w->length[c]), w->columns[c].value.integers[row]);
		to = put_bytes(to, w->after, w->after_length);
	}
}

gemp_code gemp_integer_text(gemp_text *out, const gemp_projected *columns, size_t count, size_t rows,
                            const char *const *before, const char *after)
{
	gemp_code code = GEMP_OK;
	size_t pieces = (rows + PIECE - 1) / PIECE, all = 0;
	writing w = { .columns = columns, .count = count, .rows = rows, .before = before, .after = after,
		.after_length = strlen(after), .fixed = strlen(after) };
	GEMP_TRY(GEMP_NEW(w.length, count));
	GEMP_TRY(GEMP_NEW(w.begin, pieces));
	for (size_t c = 0; c < count; c++) {
		w.length[c] = strlen(before[c]);
		w.fixed += w.length[c];
	}
	gemp_parallel_for(pieces, measure_piece, &w);
	for (size_t p = 0; p < pieces; p++) {
		size_t size = w.begin[p];
		w.begin[p] = all;
		all += size;
	}
	GEMP_TRY(GEMP_RESERVE(out->data, out->capacity, out->size + all + 1));
	w.to = out->data + out->size;
	gemp_parallel_for(pieces, write_piece, &w);
	out->size += all;
	out->data[out->size] = '\0';
done:
	gemp_free(w.length);
	gemp_free(w.begin);
	return code;
}
