/* A window of text slides over the file: records are slices of it, and text that belongs to an unfinished
 * record moves to the front before more is read. The window grows to the longest record. */

#include "io/file/stream.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/file/output.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zlib.h>
#include <zstd.h>

/* Zero bytes are refused, since the text is used as a string of C. */
static gemp_code read_here(gemp_text *text, const char *what, const char *path)
{
	char piece[1 << 14];
	size_t got;
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	gemp_text_add(text, "", 0);
	while ((got = fread(piece, 1, sizeof piece, file)) > 0)
		gemp_text_add(text, piece, got);
	gemp_code code = gemp_text_status(text);
	if (ferror(file))
		code = gemp_fail(GEMP_ENOINPUT, "%s %s: %s", what, path, strerror(errno));
	fclose(file);
	if (code == GEMP_OK && memchr(text->data, '\0', text->size))
		code = gemp_fail(GEMP_EDATA, "%s %s: not a text file (it has a zero byte)", what, path);
	return code;
}

/* Rank 0 reads and broadcasts: other ranks need not see the file. */
gemp_code gemp_file_read(char **out, const gemp_comm *comm, const char *what, const char *path)
{
	gemp_text text = { 0 };
	gemp_code code = comm->rank == 0 ? read_here(&text, what, path) : GEMP_OK;
	GEMP_OWNED void *bytes = text.data;
	size_t size = text.size + 1; /* with the 0 at its end */
	GEMP_TRY(gemp_comm_agree(comm, code));
	GEMP_TRY(gemp_comm_broadcast(comm, &bytes, &size));
	*out = bytes;
	bytes = NULL;
	return GEMP_OK;
}

enum { FIRST_CAPACITY = 1 << 20, MAX_RECORD = 1 << 28 };

/* Decompression in a stream: compressed bytes wait in `packed`, and each read unpacks as much as the
 * caller has room for. gzip and Zstandard files may consist of several members, one after another. */

struct gemp_source {
	const char *path;
	gemp_compression compression;
	FILE *file;
	unsigned char *packed; /* [PACKED_CAPACITY] compressed bytes, of which [at, end) are to be taken */
	size_t at, end;
	bool whole;     /* between two compressed members: the file may end here */
	bool inflating; /* zlib is initialised */
	z_stream zlib;
	ZSTD_DStream *zstd;
};

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

static gemp_code cannot_read(const char *path)
{
	return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
	                 strerror(errno));
}

/* A name in .gz with other content is mostly a download that failed. */
static gemp_code check_ending(const char *path, gemp_compression compression)
{
	bool gzip = gemp_file_ends_in(path, ".gz"), zstd = gemp_file_ends_in(path, ".zst");
	if ((gzip && compression != GEMP_GZIP) || (zstd && compression != GEMP_ZSTD))
		return gemp_fail(GEMP_EDATA,
		                 "%s: does not begin like a %s file; it is cut, or not compressed and wrongly named", path,
		                 gzip ? "gzip" : "Zstandard");
	return GEMP_OK;
}

/* By the file's first bytes; see gemp_stream_inspect for the errors. */
/* The first bytes decide, not the ending: both formats begin with a signature. */
static gemp_code gemp_source_inspect(const char *path, gemp_compression *compression, uint64_t *size)
{
	static const unsigned char gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char first[4] = { 0 };
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (!file || fstat(fileno(file), &status) != 0) {
		gemp_code code = cannot_read(path);
		if (file)
			fclose(file);
		return code;
	}
	size_t got = S_ISREG(status.st_mode) ? fread(first, 1, sizeof first, file) : 0;
	fclose(file);
	if (!S_ISREG(status.st_mode))
		return gemp_fail(GEMP_ENOINPUT,
		                 "%s: not a regular file, and it is read more than once; write it to a file first", path);
	if (got == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", path);
	*size = (uint64_t)status.st_size;
	*compression = memcmp(first, gzip, sizeof gzip) == 0   ? GEMP_GZIP
	               : memcmp(first, zstd, sizeof zstd) == 0 ? GEMP_ZSTD
	                                                       : GEMP_PLAIN;
	return check_ending(path, *compression);
}

gemp_code gemp_stream_inspect(const char *path, gemp_stream_info *info)
{
	gemp_compression compression;
	gemp_code code = gemp_source_inspect(path, &compression, &info->size);
	info->compressed = code == GEMP_OK && compression != GEMP_PLAIN;
	return code;
}

/* More text into the window, which moves to the buffer's front. */
static gemp_code fill_window(gemp_stream *stream)
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
	GEMP_TRY(gemp_source_read(stream->source, stream->buffer + kept, stream->capacity - kept, &got));
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
		GEMP_TRY(fill_window(stream));
	if (stream->end == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", stream->path);
	if (stream->end >= 3 && memcmp(stream->buffer, "\xef\xbb\xbf", 3) == 0) {
		stream->at = stream->offset = 3;
		if (stream->last > 0 && stream->last <= 3) /* the first line still belongs to the range of byte 0 */
			stream->last = 4;
	}
	return GEMP_OK;
}

enum { PACKED_CAPACITY = 1 << 18 };

/* gzip's frame is asked of zlib by 16 more window bits. */
static gemp_code start_source(gemp_source *source, uint64_t begin)
{
	gemp_code code = GEMP_OK;
	source->file = fopen(source->path, "rb");
	if (!source->file || (begin > 0 && fseeko(source->file, (off_t)begin, SEEK_SET) != 0))
		return cannot_read(source->path);
	if (source->compression == GEMP_PLAIN)
		return GEMP_OK;
	GEMP_TRY(GEMP_NEW(source->packed, PACKED_CAPACITY));
	if (source->compression == GEMP_ZSTD) {
		source->zstd = ZSTD_createDStream();
		if (!source->zstd)
			code = gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	} else {
		source->inflating = inflateInit2(&source->zlib, 15 + 16) == Z_OK; /* 16: gzip's frame */
		if (!source->inflating)
			code = gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	}
	return code;
}

/* Or a terminal, or /dev/null. */
static bool is_pipe(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

/* A pipe cannot be inspected, since the bytes looked at would be gone. */
static gemp_code open_source(gemp_source **out, const char *path, uint64_t begin, bool once)
{
	gemp_code code = GEMP_OK;
	gemp_source *source;
	uint64_t size;
	GEMP_TRY(GEMP_NEW(source, 1));
	source->path = path;
	if (!once || !is_pipe(path)) /* whose first bytes would be gone */
		code = gemp_source_inspect(path, &source->compression, &size);
	GEMP_THEN(start_source(source, begin));
	if (code == GEMP_OK)
		*out = source;
	else
		gemp_source_close(source);
	return code;
}

/* From the beginning, and never again: it may be a pipe, of plain text. */
static gemp_code gemp_source_open_once(gemp_source **out, const char *path)
{
	return open_source(out, path, 0, true);
}

/* A range begins one byte early: the newline there tells whether a line begins exactly at `begin`. */
static gemp_code open_stream(gemp_stream **out, const char *path, uint64_t begin, uint64_t end, bool once)
{
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
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
	return GEMP_OK;
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

gemp_code gemp_source_open(gemp_source **out, const char *path, uint64_t begin)
{
	return open_source(out, path, begin, false);
}

/* Takes a source whose opening failed half-way. */
void gemp_source_close(gemp_source *source)
{
	if (!source)
		return;
	if (source->inflating)
		inflateEnd(&source->zlib);
	ZSTD_freeDStream(source->zstd);
	gemp_free(source->packed);
	if (source->file)
		fclose(source->file);
	gemp_free(source);
}

/* A short read is no failure: files end. */
static gemp_code read_file(gemp_source *source, void *bytes, size_t capacity, size_t *size)
{
	*size = fread(bytes, 1, capacity, source->file);
	if (*size == 0 && ferror(source->file))
		return gemp_fail(GEMP_EIO, "%s: reading failed: %s", source->path, strerror(errno));
	return GEMP_OK;
}

/* A checksum or a header inside the compressed data was wrong. */
static gemp_code damaged(const gemp_source *source, const char *detail)
{
	return gemp_fail(GEMP_EDATA, "%s: the compressed data are damaged (%s); make or copy the file again", source->path,
	                 detail);
}

/* One step of zlib; *size bytes came out. */
static gemp_code inflate_some(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	z_stream *zlib = &source->zlib;
	unsigned portion = capacity < INT32_MAX ? (unsigned)capacity : (unsigned)INT32_MAX;
	if (source->whole && inflateReset(zlib) != Z_OK)
		return damaged(source, "gzip member");
	zlib->next_in = source->packed + source->at;
	zlib->avail_in = (unsigned)(source->end - source->at);
	zlib->next_out = (unsigned char *)bytes;
	zlib->avail_out = portion;
	int result = inflate(zlib, Z_NO_FLUSH);
	if (result == Z_MEM_ERROR)
		return gemp_fail(GEMP_ENOMEM, "%s: no memory to decompress", source->path);
	if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
		return damaged(source, zlib->msg ? zlib->msg : "gzip");
	source->whole = result == Z_STREAM_END;
	source->at = source->end - zlib->avail_in;
	*size = portion - zlib->avail_out;
	return GEMP_OK;
}

/* A frame that is complete leaves nothing; another frame may follow it. */
static gemp_code unpack_some(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	ZSTD_inBuffer in = { source->packed + source->at, source->end - source->at, 0 };
	ZSTD_outBuffer out = { bytes, capacity, 0 };
	size_t left = ZSTD_decompressStream(source->zstd, &out, &in);
	if (ZSTD_isError(left))
		return damaged(source, ZSTD_getErrorName(left));
	source->whole = left == 0;
	source->at += in.pos;
	*size = out.pos;
	return GEMP_OK;
}

/* Compressed files may have several members one after another, as `cat a.gz b.gz` makes them. */
gemp_code gemp_source_read(gemp_source *source, char *bytes, size_t capacity, size_t *size)
{
	gemp_code code = GEMP_OK;
	*size = 0;
	if (source->compression == GEMP_PLAIN)
		return read_file(source, bytes, capacity, size);
	while (*size == 0 && capacity > 0) {
		bool starved = source->at == source->end;
		if (starved) {
			source->at = 0;
			GEMP_TRY(read_file(source, source->packed, PACKED_CAPACITY, &source->end));
		}
		if (source->end == 0 && source->whole)
			break;
		GEMP_TRY(source->compression == GEMP_GZIP ? inflate_some(source, bytes, capacity, size)
		                                          : unpack_some(source, bytes, capacity, size));
		if (*size == 0 && source->end == 0 && !source->whole)
			code = gemp_fail(GEMP_EDATA, "%s: is cut in the middle; make or copy the file again", source->path);
		if (code != GEMP_OK)
			break;
	}
	return code;
}

/* For progress: compressed files tell no size of their text. */
uint64_t gemp_source_position(const gemp_source *source)
{
	off_t at = ftello(source->file);
	return at < 0 ? 0 : (uint64_t)at;
}

enum { CAPACITY = 1 << 20 };

static gemp_code hash_all(FILE *file, const char *path, XXH3_state_t *state, char *buffer)
{
	size_t got;
	while ((got = fread(buffer, 1, CAPACITY, file)) > 0)
		XXH3_64bits_update(state, buffer, got);
	return ferror(file) ? gemp_fail(GEMP_EIO, "%s: reading failed: %s", path, strerror(errno)) : GEMP_OK;
}

/* The hash is over the bytes as stored, so that a user can check it with xxhsum. */
gemp_code gemp_source_hash(const char *path, uint64_t *hash)
{
	gemp_code code = GEMP_OK;
	char *buffer = NULL;
	XXH3_state_t *state = NULL;
	FILE *file = fopen(path, "rb");
	if (!file)
		return gemp_fail(GEMP_ENOINPUT, "%s: cannot be read: %s; check the name and its permissions", path,
		                 strerror(errno));
	GEMP_TRY_DONE(GEMP_NEW(buffer, CAPACITY));
	state = XXH3_createState();
	if (!state || XXH3_64bits_reset(state) != XXH_OK) {
		code = gemp_fail(GEMP_ENOMEM, "%s: no memory to hash the file", path);
		goto done;
	}
	GEMP_TRY_DONE(hash_all(file, path, state, buffer));
	*hash = XXH3_64bits_digest(state);
done:
	XXH3_freeState(state);
	gemp_free(buffer);
	fclose(file);
	return code;
}
