/* A window of text slides over the file: records are slices of it, and text that belongs to an unfinished
 * record moves to the front before more is read. The window grows to the longest record. */

#include "io/file/stream.h"

#include "core/memory.h"
#include "io/file/source.h"

#include <inttypes.h>
#include <string.h>

enum { FIRST_CAPACITY = 1 << 20, MAX_RECORD = 1 << 28 };

struct gemp_stream {
	const char *path; /* borrowed */
	gemp_source *source;
	char *buffer; /* [capacity + 1]: the window [at, end) is text not yet given; a 0 follows it */
	size_t capacity, at, end;
	uint64_t offset; /* of buffer[at] in the text */
	uint64_t last;   /* records begin before this offset */
	uint64_t line;   /* number of the last record's first line; 0 before the first */
	uint64_t lines;  /* that the last record spans */
	bool finished;   /* the source has no more bytes */
};

gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info)
{
	gemp_compression compression;
	gemp_code code = gemp_source_inspect(path, &compression, &info->size);
	info->compressed = code == GEMP_OK && compression != GEMP_PLAIN;
	return code;
}

/* More text into the window, which moves to the buffer's front. */
static gemp_code fill(gemp_stream *stream)
{
	size_t kept = stream->end - stream->at, got;
	if (stream->at > 0)
		memmove(stream->buffer, stream->buffer + stream->at, kept);
	stream->at = 0;
	stream->end = kept;
	if (kept == stream->capacity) {
		if (kept >= MAX_RECORD)
			return gemp_fail(GEMP_EDATA,
			                 "%s: a record is longer than %d MiB; is this a text file, and is every quote closed?",
			                 stream->path, MAX_RECORD >> 20);
		char *larger = gemp_realloc(stream->buffer, 2 * kept + 1, 1);
		if (!larger)
			return GEMP_ENOMEM;
		stream->buffer = larger;
		stream->capacity = 2 * kept;
	}
	GEMP_PROPAGATE(gemp_source_read(stream->source, stream->buffer + kept, stream->capacity - kept, &got));
	stream->finished = got == 0;
	stream->end += got;
	stream->buffer[stream->end] = '\0';
	return GEMP_OK;
}

/* Where the record at the window's front ends: at a newline outside quotes. A quote opens at a field's beginning; after
 * another quote it is half of a doubled one. Looks from *scanned on; false if the window does not hold the end. */
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
			within = !within && (i == 0 || text[i - 1] == ',' || text[i - 1] == '"');
	*inside = within;
	*scanned = i;
	return i < size;
}

/* Quoted fields may hold newlines, which count for line numbers. */
static uint64_t newlines_in(const char *text, size_t size)
{
	uint64_t count = 0;
	for (const char *end = text + size; (text = memchr(text, '\n', (size_t)(end - text))) != NULL; text++)
		count++;
	return count;
}

/* Takes the record from the window, with its newline if it has one. */
static void emit_record(gemp_stream *stream, bool quoted, size_t length, bool newline, char **record, size_t *size)
{
	*record = stream->buffer + stream->at;
	*size = length > 0 && (*record)[length - 1] == '\r' ? length - 1 : length;
	stream->lines = 1 + (quoted ? newlines_in(*record, length) : 0);
	stream->at += length + newline;
	stream->offset += length + newline;
}

/* A record is scanned once: scanning goes on where it stopped when more text comes. */
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
		GEMP_PROPAGATE(fill(stream));
	if (inside)
		return gemp_fail(GEMP_EDATA,
		                 "%s:%" PRIu64 ": a quoted field that begins in this record is never "
		                 "closed; close it with \", and write a quote inside quotes as \"\"",
		                 stream->path, stream->line);
	if (newline || scanned > 0)
		emit_record(stream, quoted, scanned, newline, record, size);
	return GEMP_OK;
}

/* The end of the line that an earlier range has begun. */
static gemp_code skip_rest(gemp_stream *stream)
{
	char *record;
	size_t size;
	gemp_code code = gemp_stream_next(stream, false, &record, &size);
	stream->line = 1;
	stream->lines = 0;
	return code;
}

/* The mark of UTF-8 is no text; a range that ends within it still has the first line. */
static gemp_code begin_text(gemp_stream *stream, uint64_t begin)
{
	if (begin > 0)
		return skip_rest(stream);
	while (stream->end < 3 && !stream->finished)
		GEMP_PROPAGATE(fill(stream));
	if (stream->end == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", stream->path);
	if (stream->end >= 3 && memcmp(stream->buffer, "\xef\xbb\xbf", 3) == 0) {
		stream->at = stream->offset = 3;
		if (stream->last > 0 && stream->last <= 3) /* the first line still belongs to the range of byte 0 */
			stream->last = 4;
	}
	return GEMP_OK;
}

/* A range begins one byte early: the newline there tells whether a line begins exactly at `begin`. */
static gemp_code open_stream(gemp_stream **out, const char *path, uint64_t begin, uint64_t end, bool once)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	GEMP_TRY(GEMP_NEW(stream, 1));
	stream->path = path;
	stream->line = 1;
	stream->last = end;
	stream->offset = begin > 0 ? begin - 1 : 0; /* a line begins at `begin` if a newline stands before it */
	stream->capacity = FIRST_CAPACITY;
	GEMP_TRY(GEMP_NEW(stream->buffer, stream->capacity + 1));
	GEMP_TRY(once ? gemp_source_open_once(&stream->source, path)
	              : gemp_source_open(&stream->source, path, stream->offset));
	GEMP_TRY(begin_text(stream, begin));
	*out = stream;
	stream = NULL;
done:
	gemp_stream_close(stream);
	return code;
}

gemp_code gemp_stream_open(gemp_stream **out, const char *path, uint64_t begin, uint64_t end)
{
	return open_stream(out, path, begin, end, false);
}

gemp_code gemp_stream_open_once(gemp_stream **out, const char *path)
{
	return open_stream(out, path, 0, GEMP_STREAM_END, true);
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
