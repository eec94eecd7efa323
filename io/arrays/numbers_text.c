#include "io/arrays/numbers_text.h"

#include "core/memory.h"
#include "core/threads.h"
#include "io/file/stream.h"
#include "io/text/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST = 64, SHOWN = 24, PIECES_A_THREAD = 4 };

/* What integers a kind holds. */
typedef struct limits {
	int64_t least;
	uint64_t most;
} limits;

/* Lines of a block that one thread reads. */
typedef struct piece {
	char *text;
	size_t size;
	uint64_t *values; /* room for one a line; bits of integers or of doubles */
	size_t count, lines;
	uint64_t most;
	int64_t least;
	/* the first line that is none */
	const char *why; /* NULL: all are */
	size_t line, column;
	char shown[SHOWN + 4];
	bool only_real; /* it is a float where integers are wanted */
} piece;

typedef struct reading {
	gemp_number_array *out;
	const char *path;
	limits limits;
	bool reals; /* floats are read, else integers */
	piece *pieces;
	size_t piece_count;
	size_t capacity;
	uint64_t lines; /* so far */
	uint64_t most;
	int64_t least;
	bool met_real; /* a float stopped the reading of integers */
} reading;

/* ONE NUMBER */

static bool parse_real(const char *text, size_t size, uint64_t *bits)
{
	char copy[LONGEST + 1], *end;
	size_t digits = size && (*text == '+' || *text == '-');
	if (size > LONGEST || size == digits || !(isdigit((unsigned char)text[digits]) || strchr(".nNiI", text[digits])) ||
	    memchr(text, 'x', size) || memchr(text, 'X', size) || memchr(text, '(', size))
		return false;
	memcpy(copy, text, size);
	copy[size] = '\0';
	double real = strtod(copy, &end);
	memcpy(bits, &real, sizeof real);
	return end == copy + size && (!isinf(real) || strpbrk(copy, "iI")); /* 1e400 is not inf */
}

/* 0: read; 1: no integer; 2: beyond 64 bits. */
static int parse_integer(const char *text, size_t size, bool *negative, uint64_t *magnitude)
{
	size_t i = size && (*text == '+' || *text == '-');
	*negative = size && *text == '-';
	*magnitude = 0;
	if (i == size)
		return 1;
	int beyond = 0;
	for (; i < size; i++) {
		unsigned digit = (unsigned)text[i] - '0';
		if (digit > 9)
			return 1;
		if (__builtin_mul_overflow(*magnitude, 10, magnitude) || __builtin_add_overflow(*magnitude, digit, magnitude))
			beyond = 2;
	}
	return beyond;
}

static const char *parse_and_store(const reading *r, piece *p, const char *text, size_t size, uint64_t *value)
{
	bool negative;
	uint64_t magnitude, bits;
	int how = parse_integer(text, size, &negative, &magnitude);
	if (how == 1) {
		p->only_real = parse_real(text, size, &bits);
		return p->only_real ? "is a float where integers are wanted; choose --type f64"
		                    : "is not a number; one number a line "
		                      "is read, and texts are not sorted here (sort(1) does that)";
	}
	if (how == 2 || (negative && magnitude > (uint64_t)INT64_MAX + 1) || (!negative && magnitude > r->limits.most) ||
	    (negative && (int64_t)-magnitude < r->limits.least)) {
		p->only_real = how == 2;
		return "is beyond the type; choose another --type";
	}
	int64_t number = negative ? (int64_t)-magnitude : 0;
	p->least = number < p->least ? number : p->least;
	p->most = !negative && magnitude > p->most ? magnitude : p->most;
	*value = negative ? (uint64_t)number : magnitude;
	return NULL;
}

static void report_malformed(piece *p, const char *line, const char *at, size_t size, const char *why)
{
	size_t length = size < SHOWN ? size : SHOWN;
	p->why = why;
	p->line = p->lines;
	p->column = (size_t)(at - line);
	snprintf(p->shown, sizeof p->shown, "%.*s%s", (int)length, at, size > length ? "..." : "");
}

/* LINES */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static void read_line(const reading *r, piece *p, const char *line, const char *end)
{
	const char *at = line, *after;
	while (at < end && is_blank(*at))
		at++;
	while (end > at && is_blank(end[-1]))
		end--;
	if (at == end)
		return;
	for (after = at; after < end && !is_blank(*after); after++)
		;
	size_t size = (size_t)(after - at);
	uint64_t value = 0;
	const char *why = !r->reals                      ? parse_and_store(r, p, at, size, &value)
	                  : parse_real(at, size, &value) ? NULL
	                                                 : "is not a number; one number a line is read, and texts are not "
	                                                   "sorted here (sort(1) does that)";
	if (why)
		report_malformed(p, line, at, size, why);
	else if (after < end) {
		while (is_blank(*after))
			after++;
		report_malformed(p, line, after, (size_t)(end - after), "stands behind a number; one number a line is read");
	} else {
		p->values[p->count++] = value;
	}
}

static void parse_chunk(void *context, unsigned thread, size_t index)
{
	(void)thread;
	const reading *r = context;
	piece *p = &r->pieces[index];
	const char *at = p->text, *end = p->text + p->size;
	while (at < end && !p->why) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;
		read_line(r, p, at, stop);
		p->lines += !p->why;
		at = newline ? newline + 1 : end;
	}
}

static void count_chunk(void *context, unsigned thread, size_t index)
{
	(void)thread;
	piece *p = &((const reading *)context)->pieces[index];
	const char *end = p->text + p->size;
	for (const char *at = p->text; at < end; p->lines++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
}

/* Cuts a block behind newlines. */
static void cut(reading *r, char *text, size_t size)
{
	char *end = text + size;
	for (size_t i = 0; i < r->piece_count; i++) {
		size_t share = (size_t)(end - text) / (r->piece_count - i);
		char *newline = share ? memchr(text + share - 1, '\n', (size_t)(end - text) - share + 1) : text - 1;
		char *stop = newline ? newline + 1 : end;
		r->pieces[i] = (piece){ .text = text, .size = (size_t)(stop - text) };
		text = stop;
	}
	r->pieces[r->piece_count - 1].size += (size_t)(end - text);
}

/* Puts the pieces' values, between which blank lines left gaps, side by side. */
static gemp_code gather(reading *r)
{
	for (size_t i = 0; i < r->piece_count; i++) {
		piece *p = &r->pieces[i];
		uint64_t *to = (uint64_t *)r->out->values + r->out->count;
		if (to != p->values)
			memmove(to, p->values, p->count * sizeof *to);
		r->out->count += p->count;
		r->lines += p->lines;
		r->most = p->most > r->most ? p->most : r->most;
		r->least = p->least < r->least ? p->least : r->least;
		if (!p->why)
			continue;
		r->met_real = p->only_real;
		return gemp_fail(GEMP_EDATA, "%zu: '%s' %s", p->column + 1, p->shown, p->why);
	}
	return GEMP_OK;
}

static gemp_code read_block(reading *r, char *text, size_t size)
{
	size_t most = r->out->count;
	cut(r, text, size);
	gemp_parallel_for(r->piece_count, count_chunk, r);
	for (size_t i = 0; i < r->piece_count; i++)
		most += r->pieces[i].lines;
	uint64_t *values = r->out->values;
	GEMP_PROPAGATE(GEMP_RESERVE(values, r->capacity, most));
	r->out->values = values;
	values += r->out->count;
	for (size_t i = 0; i < r->piece_count; i++) {
		r->pieces[i].values = values;
		values += r->pieces[i].lines;
		r->pieces[i].lines = 0;
	}
	gemp_parallel_for(r->piece_count, parse_chunk, r);
	return gather(r);
}

/* Lines of the file before this rank's. */
static uint64_t lines_before(const char *path, uint64_t begin)
{
	char bytes[1 << 14];
	uint64_t lines = 0;
	FILE *file = begin ? fopen(path, "rb") : NULL;
	while (file && begin) {
		size_t got = fread(bytes, 1, begin < sizeof bytes ? (size_t)begin : sizeof bytes, file);
		for (size_t i = 0; i < got; i++)
			lines += bytes[i] == '\n' || (got == begin && i + 1 == got); /* the last line ends in another's part */
		begin = got ? begin - got : 0;
	}
	if (file)
		fclose(file);
	return lines;
}

/* Local. This rank's part of the file. */
static gemp_code read_part(reading *r, gemp_block_range span)
{
	gemp_code code = GEMP_OK;
	gemp_line_blocks *blocks = NULL;
	char *text;
	size_t size = 1;
	r->piece_count = PIECES_A_THREAD * (size_t)gemp_threads();
	GEMP_TRY(GEMP_NEW(r->pieces, r->piece_count));
	GEMP_TRY(GEMP_NEW(*(uint64_t **)&r->out->values, 1));
	r->capacity = 1;
	if (span.begin == span.end)
		goto done;
	GEMP_TRY(gemp_line_blocks_open(&blocks, r->path, span.begin, span.end));
	while (size) {
		GEMP_TRY(gemp_line_blocks_next(blocks, &text, &size));
		code = read_block(r, text, size);
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ":", r->path, lines_before(r->path, span.begin) + r->lines + 1);
		GEMP_TRY(code);
	}
done:
	gemp_line_blocks_close(blocks);
	gemp_free(r->pieces);
	r->pieces = NULL;
	return code;
}

/* WHAT THEY ARE */

static limits limits_of(gemp_key_kind kind)
{
	switch (kind) {
	case GEMP_KEY_U32: return (limits){ 0, UINT32_MAX };
	case GEMP_KEY_U64: return (limits){ 0, UINT64_MAX };
	case GEMP_KEY_I32: return (limits){ INT32_MIN, INT32_MAX };
	case GEMP_KEY_I64: return (limits){ INT64_MIN, INT64_MAX };
	default: return (limits){ INT64_MIN, UINT64_MAX };
	}
}

/* Collective. The first kind that holds the integers of all ranks; GEMP_KEY_F64 where none does. */
static gemp_key_kind kind_of(const gemp_comm *comm, const reading *r)
{
	uint64_t ends[2] = { r->most, ~(uint64_t)r->least & INT64_MAX }; /* how far below 0, less 1 */
	uint64_t negative = r->least < 0;
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

static gemp_code inspect(const gemp_comm *comm, const char *path, gemp_number_array *out, gemp_block_range *span)
{
	gemp_stream_info info = { 0 };
	struct stat there;
	gemp_code code = GEMP_OK;
	if (stat(path, &there) != 0 || there.st_size > 0 || !S_ISREG(there.st_mode)) /* an empty one has no numbers */
		code = gemp_stream_inspect(path, &info);
	gemp_code agreed = gemp_comm_agree(comm, code);
	if (agreed != GEMP_OK)
		return agreed;
	out->bytes = info.size;
	*span = info.compressed ? (gemp_block_range){ 0, comm->rank ? 0 : GEMP_STREAM_END }
	                        : gemp_comm_block(comm, info.size);
	return GEMP_OK;
}

/* Collective. Reads all as integers, or all as floats. */
static gemp_code read_as(reading *r, const gemp_comm *comm, gemp_block_range span, bool reals, bool *met_real)
{
	gemp_free(r->out->values);
	r->out->values = NULL;
	r->out->count = 0;
	r->lines = 0;
	r->reals = reals;
	gemp_code code = read_part(r, span);
	/* a float is no error yet, but another one is */
	uint64_t states[2] = { code == GEMP_EDATA && r->met_real, code != GEMP_OK && !(code == GEMP_EDATA && r->met_real) };
	if (!met_real)
		return gemp_comm_agree(comm, code);
	gemp_comm_max(comm, states, 2);
	*met_real = states[0];
	if (states[0] && !states[1])
		return GEMP_OK;
	return gemp_comm_agree(comm, code == GEMP_EDATA && r->met_real ? GEMP_OK : code);
}

gemp_code gemp_number_array_read_text(gemp_number_array *out, const gemp_comm *comm, const char *path,
                                      gemp_key_kind kind)
{
	reading r = { .out = out, .path = path, .limits = limits_of(kind) };
	bool automatic = kind == GEMP_NUMBERS_AUTO, met_real = kind == GEMP_KEY_F32 || kind == GEMP_KEY_F64;
	gemp_block_range span;
	size_t at;
	GEMP_PROPAGATE(inspect(comm, path, out, &span));
	if (!met_real)
		GEMP_PROPAGATE(read_as(&r, comm, span, false, automatic ? &met_real : NULL));
	if (!met_real && automatic) {
		kind = kind_of(comm, &r);
		met_real = kind == GEMP_KEY_F64; /* negative ones beside some that only u64 holds */
	}
	if (met_real)
		GEMP_PROPAGATE(read_as(&r, comm, span, true, NULL));
	out->kind = met_real ? GEMP_KEY_F64 : kind == GEMP_KEY_I32 || kind == GEMP_KEY_I64 ? GEMP_KEY_I64 : GEMP_KEY_U64;
	if (!met_real)
		GEMP_PROPAGATE(gemp_comm_agree(comm, gemp_number_array_convert(out, kind, &at)));
	return GEMP_OK;
}
