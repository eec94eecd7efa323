/* The buffer holds a window of the text, and records and blocks are slices of this window. Before more text is read,
 * the bytes of an unfinished record move to the buffer's front. The buffer grows to the longest record.
 *
 * A range of a plain file may begin at any byte. A stream over a range skips the rest of the line that began before the
 * range, and reads the range's last line to its end. So each line belongs to exactly one range. */

#include "io/file/stream.h"

#include "core/limits.h"
#include "core/status.h"
#include "core/text.h"
#include "io/file/source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Local. A zero byte is refused, since callers use the text as a C string. */
static gemp_code read_here(gemp_text *text, const char *what, const char *path)
{
	char buffer[1 << 14];
	size_t got;
	FILE *file = fopen(strcmp(path, "-") == 0 ? "/dev/stdin" : path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	gemp_text_add(text, "", 0);
	while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
		gemp_text_add(text, buffer, got);
	gemp_code code = gemp_text_status(text);
	if (ferror(file))
		code = gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	fclose(file);
	if (code == GEMP_OK && memchr(text->data, '\0', text->size))
		code = gemp_fail(GEMP_EDATA, "%s %s: not a text file (it has a zero byte)", what, path);
	return code;
}

/* Rank 0 reads and broadcasts, so the other ranks need no access to the file. */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path)
{
	gemp_text text = { 0 };
	gemp_code code = comm->rank == 0 ? read_here(&text, what, path) : GEMP_OK;
	GEMP_OWNED void *bytes = text.data;
	size_t size = text.size + 1; /* with the terminating 0 */
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	*out = bytes;
	bytes = NULL;
	return GEMP_OK;
}

enum { FIRST_CAPACITY = 1 << 20, MAX_RECORD = 1 << 28, MARK_SIZE = 3 /* bytes of a UTF-8 byte order mark */ };

struct gemp_stream {
	const char *path; /* borrowed */
	gemp_source *source;
	char *buffer; /* [capacity + 1]; the window [at, end) is text not returned yet, and a 0 follows it */
	size_t capacity, at, end;
	uint64_t begin;  /* offset in the file of the first byte that was read */
	uint64_t offset; /* offset of buffer[at] in the text */
	uint64_t last;   /* end of the range: every record begins before this offset */
	uint64_t line;   /* number of the last record's first line; 1 before the first record */
	uint64_t lines;  /* number of lines of the last record */
	bool finished;   /* the source has no more bytes */
};

gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info)
{
	gemp_compression compression = GEMP_PLAIN;
	gemp_code code = gemp_source_inspect(path, &compression, &info->size);
	info->compressed = code == GEMP_OK && compression != GEMP_PLAIN;
	return code;
}

/* Overwrites text that was returned already. */
static void move_to_front(gemp_stream *stream)
{
	if (stream->at > 0)
		memmove(stream->buffer, stream->buffer + stream->at, stream->end - stream->at);
	stream->end -= stream->at;
	stream->at = 0;
}

/* A record longer than MAX_RECORD is usually a binary file, or a quote that is never closed. */
static gemp_code double_buffer(gemp_stream *stream)
{
	if (stream->capacity >= MAX_RECORD)
		return gemp_fail(GEMP_EDATA,
		                 "%s: a record is longer than %d MiB; is this a text file, and is every quote closed?",
		                 stream->path, MAX_RECORD >> 20);
	char *larger = gemp_realloc(stream->buffer, 2 * stream->capacity + 1, 1);
	if (!larger)
		return GEMP_ENOMEM;
	stream->buffer = larger;
	stream->capacity *= 2;
	return GEMP_OK;
}

static gemp_code read_more(gemp_stream *stream)
{
	size_t got;
	GEMP_TRY(gemp_source_read(stream->source, stream->buffer + stream->end, stream->capacity - stream->end, &got));
	stream->finished = got == 0;
	stream->end += got;
	stream->buffer[stream->end] = '\0';
	return GEMP_OK;
}

/* Appends at least one byte to the window, unless the text has ended. */
static gemp_code fill_window(gemp_stream *stream)
{
	move_to_front(stream);
	if (stream->end == stream->capacity)
		GEMP_TRY(double_buffer(stream));
	return read_more(stream);
}

/* RECORDS */

/* Whether a field is open behind the quote text[at]. A quote at the beginning of a field opens a quoted field. A quote
 * right after a closing quote opens the field again, since the two are one doubled quote. */
static bool opens_field(const char *text, size_t at, bool within)
{
	return !within && (at == 0 || text[at - 1] == ',' || text[at - 1] == '"');
}

bool gemp_record_is_open(const char *line, size_t size)
{
	bool within = false;
	const char *end = line + size;
	for (const char *at = line; (at = memchr(at, '"', (size_t)(end - at))) != NULL; at++)
		within = opens_field(line, (size_t)(at - line), within);
	return within;
}

/* Finds the newline outside quotes that ends the record at the window's front. The search starts at *scanned, and
 * *scanned becomes the place where it stopped. Returns false if the window does not contain the end. A quote at the
 * beginning of a field opens a quoted field. A quote right after a closing quote opens the field again, since the two
 * are one doubled quote. */
static bool find_end(const gemp_stream *stream, bool quoted, size_t *scanned, bool *inside)
{
	const char *text = stream->buffer + stream->at;
	size_t size = stream->end - stream->at, i = *scanned;
	if (!quoted) {
		const char *newline = memchr(text + i, '\n', size - i);
		*scanned = newline ? (size_t)(newline - text) : size;
		return newline != NULL;
	}
	bool within = *inside;
	for (; i < size && (within || text[i] != '\n'); i++)
		if (text[i] == '"')
			within = opens_field(text, i, within);
	*inside = within;
	*scanned = i;
	return i < size;
}

/* A quoted field may hold newlines, which count for line numbers. */
static uint64_t newlines_in(const char *text, size_t size)
{
	uint64_t count = 0;
	for (const char *end = text + size; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		count++;
	return count;
}

/* Takes the record and its newline, if it has one, off the window. */
static void emit_record(gemp_stream *stream, bool quoted, size_t length, bool newline, char **record, size_t *size)
{
	*record = stream->buffer + stream->at;
	*size = length > 0 && (*record)[length - 1] == '\r' ? length - 1 : length;
	stream->lines = 1 + (quoted ? newlines_in(*record, length) : 0);
	stream->at += length + newline;
	stream->offset += length + newline;
}

/* Each byte is scanned once: after a read, the scan continues where it stopped. */
gemp_code gemp_stream_next(gemp_stream *stream, bool quoted, char **record, size_t *size)
{
	size_t scanned = 0;
	bool inside = false, newline = false;
	*record = NULL;
	*size = 0;
	stream->line += stream->lines;
	stream->lines = 0;
	if (stream->offset >= stream->last)
		return GEMP_OK;
	while (!(newline = find_end(stream, quoted, &scanned, &inside)) && !stream->finished)
		GEMP_TRY(fill_window(stream));
	if (inside)
		return gemp_fail(GEMP_EDATA,
		                 "%s:%" PRIu64 ": a quoted field that begins in this record is never "
		                 "closed; close it with \", and write a quote inside quotes as \"\"",
		                 stream->path, stream->line);
	if (newline || scanned > 0)
		emit_record(stream, quoted, scanned, newline, record, size);
	return GEMP_OK;
}

/* BLOCKS */

/* Of `size` bytes of whole lines, returns the number of bytes in lines that begin before the end of the range. */
static size_t cut_at_last(const gemp_stream *stream, size_t size)
{
	if (stream->last - stream->offset >= size)
		return size;
	/* not negative, since the block's first line begins before `last` */
	size_t from = stream->last - stream->offset - 1;
	const char *newline = memchr(stream->buffer + from, '\n', size - from);
	return newline ? (size_t)(newline - stream->buffer) + 1 : size;
}

/* The buffer is filled completely. It grows only if it holds no newline at all. */
gemp_code gemp_stream_next_block(gemp_stream *stream, char **text, size_t *size)
{
	const char *newline = NULL;
	*size = 0;
	if (stream->offset >= stream->last)
		return GEMP_OK;
	move_to_front(stream);
	for (;;) {
		while (stream->end < stream->capacity && !stream->finished)
			GEMP_TRY(read_more(stream));
		newline = stream->finished ? NULL : memrchr(stream->buffer, '\n', stream->end);
		if (newline || stream->finished)
			break;
		GEMP_TRY(double_buffer(stream));
	}
	*text = stream->buffer;
	*size = cut_at_last(stream, newline ? (size_t)(newline - stream->buffer) + 1 : stream->end);
	stream->at = *size;
	stream->offset += *size;
	return GEMP_OK;
}

/* gemp_stream_next_block does not count lines. */
void gemp_stream_return_block(gemp_stream *stream, size_t size, uint64_t line)
{
	stream->line = line;
	stream->lines = 0;
	stream->at -= size;
	stream->offset -= size;
}

/* OPENING */

/* Skips the rest of the line that began in an earlier range. The next line becomes line 1. */
static gemp_code skip_rest(gemp_stream *stream)
{
	char *record;
	size_t size;
	gemp_code code = gemp_stream_next(stream, false, &record, &size);
	stream->line = 1;
	stream->lines = 0;
	return code;
}

/* A byte order mark is not part of the text. If the range ends within the mark, it is extended so that it still has the
 * first line. */
static gemp_code begin_text(gemp_stream *stream, uint64_t begin)
{
	if (begin > 0)
		return skip_rest(stream);
	while (stream->end < MARK_SIZE && !stream->finished)
		GEMP_TRY(fill_window(stream));
	if (stream->end == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", stream->path);
	if (stream->end >= MARK_SIZE && memcmp(stream->buffer, "\xef\xbb\xbf", MARK_SIZE) == 0) {
		stream->at = stream->offset = MARK_SIZE;
		if (stream->last > 0 && stream->last <= MARK_SIZE)
			stream->last = MARK_SIZE + 1;
	}
	return GEMP_OK;
}

/* Reading starts one byte before the range: if that byte is a newline, a line begins exactly at `begin`. */
static gemp_code open_stream(gemp_stream **out, const char *path, uint64_t begin, uint64_t end, size_t capacity,
                             bool once)
{
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	GEMP_TRY(GEMP_NEW(stream, 1));
	stream->path = path;
	stream->line = 1;
	stream->last = end;
	stream->begin = stream->offset = begin > 0 ? begin - 1 : 0;
	stream->capacity = capacity;
	GEMP_TRY(GEMP_NEW(stream->buffer, capacity + 1));
	GEMP_TRY(gemp_source_open(&stream->source, path, stream->begin, once));
	GEMP_TRY(begin_text(stream, begin));
	*out = stream;
	stream = NULL;
	return GEMP_OK;
}

gemp_code gemp_stream_open(gemp_stream **out, const char *path, uint64_t begin, uint64_t end)
{
	return open_stream(out, path, begin, end, FIRST_CAPACITY, false);
}

gemp_code gemp_stream_open_once(gemp_stream **out, const char *path)
{
	return open_stream(out, path, 0, GEMP_STREAM_END, FIRST_CAPACITY, true);
}

/* Tests set lines_block to a few bytes, but the buffer must hold a byte order mark. */
gemp_code gemp_stream_open_blocks(gemp_stream **out, const char *path, uint64_t begin, uint64_t end)
{
	return open_stream(out, path, begin, end, gemp_max(gemp_limits_now()->lines_block, MARK_SIZE + 1), false);
}

void gemp_stream_close(gemp_stream *stream)
{
	if (!stream)
		return;
	gemp_source_close(stream->source);
	gemp_free_all(stream->buffer, stream);
}

uint64_t gemp_stream_line(const gemp_stream *stream)
{
	return stream->line;
}

uint64_t gemp_stream_offset(const gemp_stream *stream)
{
	return stream->offset;
}

uint64_t gemp_stream_position(const gemp_stream *stream)
{
	return gemp_source_position(stream->source) - stream->begin;
}
