/* Text is read in blocks of lines, which threads parse chunk by chunk.
 *
 * If the user does not name a kind, the numbers are first parsed as integers, and each rank keeps their minimum and
 * maximum. From these, all ranks together choose the narrowest kind. If any rank meets a float or an integer beyond 64
 * bits, all ranks start again with floats. So a file is read at most twice. The line number of a message is counted
 * only after a failure. */

#include "io/arrays/numbers_read.h"

#include "core/status.h"
#include "core/threads.h"
#include "io/arrays/array_file.h"
#include "io/file/stream.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/text/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* TEXT: one number on each line */

enum { MAX_NUMBER = 64, MAX_SHOWN = 24 /* maximal numbers of bytes of a cell: for a number, and in messages */ };

/* The members differ in type, since no integer type of C holds both -2^63 and 2^64 - 1. */
typedef struct integer_range {
	int64_t min;
	uint64_t max;
} integer_range;

/* The numbers in one chunk of lines. */
typedef struct parsed_chunk {
	uint64_t *values; /* [lines of the chunk] the bits of integers or doubles; [0, count) are set */
	size_t count;
	integer_range range; /* minimum and maximum of the values */
	bool is_real;        /* the chunk failed at a float or an integer beyond 64 bits while integers are read */
} parsed_chunk;

typedef struct text_reader {
	gemp_number_array *out;
	const char *path;
	integer_range allowed; /* integers that the wanted kind holds */
	bool reals;            /* true: floats are read; false: integers */
	parsed_chunk parsed[GEMP_LINE_CHUNKS];
	size_t capacity; /* allocated values of out->values */
	uint64_t lines;  /* lines read so far */
	integer_range range;
	bool met_real; /* this rank failed at a float or an integer beyond 64 bits while integers are read */
} text_reader;

/* ONE NUMBER */

/* strtod needs a terminating 0, so the text is copied. strtod also accepts hexadecimal numbers and nan(...), so these
 * are refused first. */
static bool parse_real(const char *text, size_t size, uint64_t *bits)
{
	char copy[MAX_NUMBER + 1], *end;
	size_t digits = size && (*text == '+' || *text == '-');
	if (size > MAX_NUMBER || size == digits ||
	    !(isdigit((unsigned char)text[digits]) || strchr(".nNiI", text[digits])) || memchr(text, 'x', size) ||
	    memchr(text, 'X', size) || memchr(text, '(', size))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	double real = strtod(copy, &end);
	memcpy(bits, &real, sizeof real);
	return end == copy + size && (!isinf(real) || strpbrk(copy, "iI")); /* 1e400 overflows to inf and is refused */
}

typedef enum integer_parse { IS_INTEGER, NO_INTEGER, BEYOND_64_BITS } integer_parse;

/* An integer beyond 64 bits differs from a word: it can still be read as a float. */
static integer_parse parse_integer(const char *text, size_t size, bool *negative, uint64_t *magnitude)
{
	size_t i = size && (*text == '+' || *text == '-');
	*negative = size && *text == '-';
	*magnitude = 0;
	if (i == size)
		return NO_INTEGER;
	integer_parse result = IS_INTEGER;
	for (; i < size; i++) {
		unsigned digit = (unsigned)text[i] - '0';
		if (digit > 9)
			return NO_INTEGER;
		if (__builtin_mul_overflow(*magnitude, 10, magnitude) || __builtin_add_overflow(*magnitude, digit, magnitude))
			result = BEYOND_64_BITS;
	}
	return result;
}

#define NOT_A_NUMBER "is not a number; one number a line is read, and texts are not sorted here (sort(1) does that)"

/* Sets *value and returns NULL. After a failure returns the reason, as the end of a message that begins with the
 * cell. */
static const char *parse_number(const text_reader *r, parsed_chunk *p, const char *text, size_t size, uint64_t *value)
{
	bool negative;
	uint64_t magnitude, bits;
	if (r->reals)
		return parse_real(text, size, value) ? NULL : NOT_A_NUMBER;
	const integer_parse parsed = parse_integer(text, size, &negative, &magnitude);
	if (parsed == NO_INTEGER) {
		p->is_real = parse_real(text, size, &bits);
		return p->is_real ? "is a float where integers are wanted; take the type f64" : NOT_A_NUMBER;
	}
	const int64_t below = negative ? (int64_t)-magnitude : 0;
	if (parsed == BEYOND_64_BITS || (negative && (magnitude > (uint64_t)INT64_MAX + 1 || below < r->allowed.min)) ||
	    (!negative && magnitude > r->allowed.max)) {
		p->is_real = parsed == BEYOND_64_BITS;
		return "is beyond the type; choose another type";
	}
	p->range.min = below < p->range.min ? below : p->range.min;
	p->range.max = !negative && magnitude > p->range.max ? magnitude : p->range.max;
	*value = negative ? (uint64_t)below : magnitude;
	return NULL;
}

/* The message begins with the column. The caller puts file and line in front. */
static gemp_code refuse_cell(const gemp_line *line, const char *cell, size_t size, const char *why)
{
	return gemp_fail(GEMP_EDATA, "%zu: '%.*s%s' %s", (size_t)(cell - line->text) + 1,
	                 (int)(size < MAX_SHOWN ? size : MAX_SHOWN), cell, size > MAX_SHOWN ? "..." : "", why);
}

/* LINES */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A line holds at most one number. Blanks around the number are ignored; any other text after it is an error. */
static gemp_code read_line(void *self, unsigned thread, size_t chunk, const gemp_line *line)
{
	text_reader *r = self;
	parsed_chunk *p = &r->parsed[chunk];
	const char *at = line->text, *end = at + line->size, *after;
	uint64_t value = 0;
	(void)thread;
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	if (at == end)
		return GEMP_OK;
	for (after = at; after < end && !is_blank(*after); after++)
		;
	const char *why = parse_number(r, p, at, (size_t)(after - at), &value);
	if (why)
		return refuse_cell(line, at, (size_t)(after - at), why);
	while (after < end && is_blank(*after))
		after++;
	if (after < end)
		return refuse_cell(line, after, (size_t)(end - after), "stands behind a number; one number a line is read");
	p->values[p->count++] = value;
	return GEMP_OK;
}

/* Blank lines leave gaps between the values of chunks. This function closes the gaps. */
static void gather_chunks(text_reader *r)
{
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++) {
		const parsed_chunk *p = &r->parsed[i];
		uint64_t *to = (uint64_t *)r->out->values + r->out->count;
		if (to != p->values)
			memmove(to, p->values, p->count * sizeof *to);
		r->out->count += p->count;
		r->range.max = gemp_max(p->range.max, r->range.max);
		r->range.min = p->range.min < r->range.min ? p->range.min : r->range.min;
	}
}

/* After a failure *line is the number of the failing line within this rank's part of the file. */
static gemp_code read_block(text_reader *r, char *text, size_t size, uint64_t *line)
{
	gemp_line_chunks chunks;
	gemp_line_failure failure = { 0 };
	uint64_t *values = r->out->values;
	gemp_line_chunks_cut(&chunks, text, size, r->lines);
	GEMP_TRY(GEMP_RESERVE(values, r->capacity, r->out->count + chunks.lines));
	r->out->values = values;
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		r->parsed[i] = (parsed_chunk){ .values = values + r->out->count + chunks.chunk[i].lines_before - r->lines };
	gemp_code code = gemp_line_chunks_visit(&chunks, read_line, r, &failure);
	*line = failure.line;
	r->met_real = code == GEMP_EDATA && r->parsed[failure.chunk].is_real;
	r->lines += chunks.lines;
	if (code == GEMP_OK)
		gather_chunks(r);
	return code;
}

/* The number of lines before this rank's part of the file. Only messages need it. */
static uint64_t lines_before(const char *path, uint64_t begin)
{
	char bytes[1 << 14];
	uint64_t lines = 0;
	FILE *file = begin ? fopen(path, "rb") : NULL;
	while (file && begin) {
		size_t got = fread(bytes, 1, begin < sizeof bytes ? (size_t)begin : sizeof bytes, file);
		for (size_t i = 0; i < got; i++)
			/* a line that crosses into this rank's part belongs to a lower rank */
			lines += bytes[i] == '\n' || (got == begin && i + 1 == got);
		begin = got ? begin - got : 0;
	}
	if (file)
		fclose(file);
	return lines;
}

/* Local. Reads this rank's part of the file. */
static gemp_code read_part(text_reader *r, gemp_block_range span)
{
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	char *text;
	size_t size = 1;
	GEMP_TRY(GEMP_NEW(*(uint64_t **)&r->out->values, 1));
	r->capacity = 1;
	if (span.begin == span.end)
		return GEMP_OK;
	GEMP_TRY(gemp_stream_open_blocks(&stream, r->path, span.begin, span.end));
	while (size) {
		uint64_t line;
		GEMP_TRY(gemp_stream_next_block(stream, &text, &size));
		gemp_code code = read_block(r, text, size, &line);
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ":", r->path, lines_before(r->path, span.begin) + line);
		GEMP_TRY(code);
	}
	return GEMP_OK;
}

/* THE KIND OF THE NUMBERS */

/* The integers that a kind holds. The automatic kind allows all integers, and kind_of chooses later. */
static integer_range range_of(gemp_key_kind kind)
{
	switch (kind) {
	case GEMP_KEY_U32: return (integer_range){ 0, UINT32_MAX };
	case GEMP_KEY_U64: return (integer_range){ 0, UINT64_MAX };
	case GEMP_KEY_I32: return (integer_range){ INT32_MIN, INT32_MAX };
	case GEMP_KEY_I64: return (integer_range){ INT64_MIN, INT64_MAX };
	default: return (integer_range){ INT64_MIN, UINT64_MAX };
	}
}

/* Collective. The first of u32, u64, i32 and i64 that holds the integers of all ranks; GEMP_KEY_F64 if none of these
 * does. */
static gemp_key_kind kind_of(const gemp_comm *comm, const text_reader *r)
{
	uint64_t ends[2] = { r->range.max, ~(uint64_t)r->range.min & INT64_MAX }; /* ends[1] is -min - 1 */
	uint64_t negative = r->range.min < 0;
	if (!negative)
		ends[1] = 0;
	gemp_comm_max(comm, ends, 2);
	gemp_comm_max(comm, &negative, 1);
	if (!negative)
		return ends[0] <= UINT32_MAX ? GEMP_KEY_U32 : GEMP_KEY_U64;
	if (ends[0] > INT64_MAX)
		return GEMP_KEY_F64;
	return ends[0] <= INT32_MAX && ends[1] <= INT32_MAX ? GEMP_KEY_I32 : GEMP_KEY_I64;
}

/* An empty regular file is an empty array here, whereas gemp_stream_inspect refuses it. */
static gemp_code inspect_text(const gemp_comm *comm, const char *path, gemp_number_array *out, gemp_block_range *span)
{
	gemp_stream_info info = { 0 };
	struct stat there;
	gemp_code code = GEMP_OK;
	/* an empty file has no numbers and is not inspected */
	if (stat(path, &there) != 0 || there.st_size > 0 || !S_ISREG(there.st_mode))
		code = gemp_stream_inspect(path, &info);
	GEMP_TRY(gemp_comm_agree(comm, code));
	out->bytes = info.size;
	*span = info.compressed ? (gemp_block_range){ 0, comm->rank ? 0 : GEMP_STREAM_END }
	                        : gemp_comm_block(comm, info.size);
	return GEMP_OK;
}

/* Collective. Reads all numbers as integers, or all as floats (reals). If met_real is not NULL, a float among integers
 * is not a failure but sets *met_real on all ranks. */
static gemp_code read_as(text_reader *r, const gemp_comm *comm, gemp_block_range span, bool reals, bool *met_real)
{
	gemp_free(r->out->values);
	r->out->values = NULL;
	r->out->count = 0;
	r->lines = 0;
	r->reals = reals;
	gemp_code code = read_part(r, span);
	/* states[0]: this rank met a float; states[1]: it failed for another reason */
	uint64_t states[2] = { code == GEMP_EDATA && r->met_real, code != GEMP_OK && !(code == GEMP_EDATA && r->met_real) };
	if (!met_real)
		return gemp_comm_agree(comm, code);
	gemp_comm_max(comm, states, 2);
	*met_real = states[0];
	if (states[0] && !states[1])
		return GEMP_OK;
	return gemp_comm_agree(comm, code == GEMP_EDATA && r->met_real ? GEMP_OK : code);
}

/* Collective. Integers are tried first, since most files hold integers. */
static gemp_code read_text(gemp_number_array *out, const gemp_comm *comm, const char *path, gemp_key_kind kind)
{
	text_reader r = { .out = out, .path = path, .allowed = range_of(kind) };
	bool automatic = kind == GEMP_NUMBERS_AUTO, met_real = kind == GEMP_KEY_F32 || kind == GEMP_KEY_F64;
	gemp_block_range span;
	size_t bad;
	GEMP_TRY(inspect_text(comm, path, out, &span));
	if (!met_real)
		GEMP_TRY(read_as(&r, comm, span, false, automatic ? &met_real : NULL));
	if (!met_real && automatic) {
		kind = kind_of(comm, &r);
		met_real = kind == GEMP_KEY_F64; /* negative integers beside integers beyond int64_t */
	}
	if (met_real)
		GEMP_TRY(read_as(&r, comm, span, true, NULL));
	out->kind = met_real ? GEMP_KEY_F64 : kind == GEMP_KEY_I32 || kind == GEMP_KEY_I64 ? GEMP_KEY_I64 : GEMP_KEY_U64;
	if (!met_real)
		GEMP_TRY(gemp_comm_agree(comm, gemp_number_array_convert(out, kind, &bad)));
	return GEMP_OK;
}

/* ARRAYS OF NUMPY AND HDF5 */

/* Returns the bits of a widened element: 8- and 16-bit integers keep their value, and a half float becomes a float. */
static uint32_t widen_element(char kind, unsigned width, const unsigned char *at)
{
	uint32_t bits;
	uint16_t two;
	float real;
	if (width == 1)
		return kind == 'i' ? (uint32_t)(int8_t)*at : *at;
	memcpy(&two, at, sizeof two);
	if (kind != 'f')
		return kind == 'i' ? (uint32_t)(int16_t)two : two;
	real = gemp_npy_half(at);
	memcpy(&bits, &real, sizeof bits);
	return bits;
}

/* Makes keys of 32 or 64 bits from the elements. Elements that have this width already become the values without a
 * copy, and *elements becomes NULL. */
static gemp_code take_elements(gemp_number_array *out, const gemp_array_file *file, void **elements, size_t count)
{
	const bool is_long = file->width == 8;
	out->kind = file->kind == 'f'   ? (is_long ? GEMP_KEY_F64 : GEMP_KEY_F32)
	            : file->kind == 'i' ? (is_long ? GEMP_KEY_I64 : GEMP_KEY_I32)
	                                : (is_long ? GEMP_KEY_U64 : GEMP_KEY_U32);
	out->count = count;
	out->bytes = file->bytes;
	if (file->width >= 4) {
		out->values = *elements;
		*elements = NULL;
		return GEMP_OK;
	}
	uint32_t *values;
	GEMP_TRY(GEMP_NEW(values, count));
	for (size_t i = 0; i < count; i++)
		values[i] = widen_element(file->kind, file->width, (const unsigned char *)*elements + i * file->width);
	out->values = values;
	return GEMP_OK;
}

/* Collective. Compares the dataset's checksum, which only datasets written by this program have. */
static gemp_code check_sum(const gemp_array_file *file, const gemp_comm *comm, const void *elements, uint64_t first,
                           size_t count)
{
	uint64_t expected, sum;
	if (file->npy || gemp_h5_get_number(&file->h5, file->dataset, "checksum", &expected) != GEMP_OK)
		return GEMP_OK;
	sum = gemp_comm_sum1(comm, gemp_h5_checksum(elements, file->width, first, count));
	return gemp_h5_compare_checksum(&file->h5, file->dataset, sum);
}

/* Collective. Each rank reads its own block of the array. */
static gemp_code read_array(gemp_number_array *out, const gemp_comm *comm, const char *place)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_array_file_close) gemp_array_file file = { 0 };
	GEMP_OWNED void *elements = NULL;
	GEMP_TRY(gemp_comm_agree(comm, gemp_array_file_open(&file, place, 1)));
	gemp_block_range rows = gemp_comm_block(comm, file.rows);
	const size_t count = rows.end - rows.begin;
	elements = gemp_calloc(count, file.width);
	code = elements ? gemp_array_file_read(&file, rows.begin, count, elements) : GEMP_ENOMEM;
	GEMP_TRY(gemp_comm_agree(comm, code));
	code = check_sum(&file, comm, elements, rows.begin, count);
	GEMP_THEN(take_elements(out, &file, &elements, count));
	return gemp_comm_agree(comm, code);
}

/* ALL FORMS OF FILES */

/* Gives every NaN the same bits, since keys are compared by their bits. */
static void unify_nan_range(void *context, size_t range, size_t begin, size_t end)
{
	(void)range;
	const gemp_number_array *n = context;
	for (size_t i = begin; i < end; i++)
		if (n->kind == GEMP_KEY_F32 && isnan(((float *)n->values)[i]))
			((float *)n->values)[i] = NAN;
		else if (n->kind == GEMP_KEY_F64 && isnan(((double *)n->values)[i]))
			((double *)n->values)[i] = (double)NAN;
}

/* Collective. The message gives the index of a value in the whole file. */
static gemp_code convert_to_wanted(gemp_number_array *n, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	gemp_code code = GEMP_OK;
	size_t bad = n->count;
	uint64_t before = gemp_comm_exscan(comm, n->count);
	if (kind != GEMP_NUMBERS_AUTO)
		code = gemp_number_array_convert(n, kind, &bad);
	if (code == GEMP_OK && bad < n->count)
		code = gemp_fail(GEMP_EDATA,
		                 "%s: number %" PRIu64 " (from 0) is not one that type %s holds exactly; choose another type",
		                 place, before + bad, gemp_key_name[kind]);
	GEMP_TRY(gemp_comm_agree(comm, code));
	if (n->kind >= GEMP_KEY_F32)
		gemp_for_ranges(n->count, unify_nan_range, n);
	n->total = gemp_comm_sum1(comm, n->count);
	return GEMP_OK;
}

/* The numbers of every form of file are converted at the end. This step also counts the numbers of all ranks. */
gemp_code gemp_number_array_read(gemp_number_array *out, const gemp_comm *comm, const char *place, gemp_key_kind kind)
{
	*out = (gemp_number_array){ 0 };
	gemp_code code = gemp_array_file_is(place) ? read_array(out, comm, place) : read_text(out, comm, place, kind);
	GEMP_THEN(convert_to_wanted(out, comm, place, kind));
	if (code != GEMP_OK)
		gemp_number_array_free(out);
	return code;
}
