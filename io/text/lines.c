#include "io/text/lines.h"

#include "core/memory.h"
#include "io/file/source.h"
#include "io/file/stream.h"
#include "io/text/text_cells.h"

#include <inttypes.h>
#include <string.h>

size_t gemp_lines_block_size = 16 << 20;

enum { MAX_LINE = 1 << 28, MARK = 3 };

struct gemp_line_blocks {
	const char *path; /* borrowed */
	gemp_source *source;
	char *buffer; /* [capacity] */
	size_t capacity;
	size_t given, end; /* [given, end) was read and waits */
	uint64_t begin;    /* of the first byte read */
	uint64_t offset;   /* of buffer[given] in the text */
	uint64_t last;     /* lines begin before this offset */
	bool finished;     /* the source has no more bytes */
};

/* Until the buffer is full or the text ends. */
static gemp_code fill(gemp_line_blocks *blocks)
{
	size_t kept = blocks->end - blocks->given;
	if (blocks->given)
		memmove(blocks->buffer, blocks->buffer + blocks->given, kept);
	blocks->given = 0;
	blocks->end = kept;
	while (blocks->end < blocks->capacity && !blocks->finished) {
		size_t got;
		GEMP_PROPAGATE(
			gemp_source_read(blocks->source, blocks->buffer + blocks->end, blocks->capacity - blocks->end, &got));
		blocks->finished = got == 0;
		blocks->end += got;
	}
	return GEMP_OK;
}

static gemp_code widen(gemp_line_blocks *blocks)
{
	if (blocks->capacity >= MAX_LINE)
		return gemp_fail(GEMP_EDATA,
		                 "%s: a record is longer than %d MiB; is this a text file, and is every quote closed?",
		                 blocks->path, MAX_LINE >> 20);
	char *larger = gemp_realloc(blocks->buffer, 2 * blocks->capacity, 1);
	if (!larger)
		return GEMP_ENOMEM;
	blocks->buffer = larger;
	blocks->capacity *= 2;
	return GEMP_OK;
}

/* Behind the last newline of the waiting text; all of it where the text ends; 0 where a line is not yet whole. */
static size_t whole_lines(const gemp_line_blocks *blocks)
{
	const char *text = blocks->buffer + blocks->given;
	size_t size = blocks->end - blocks->given;
	const char *newline = size ? memrchr(text, '\n', size) : NULL;
	if (blocks->finished && size)
		return size;
	return newline ? (size_t)(newline - text) + 1 : 0;
}

/* What of `size` bytes of lines begins before the last offset. */
static size_t cut(const gemp_line_blocks *blocks, size_t size)
{
	const char *text = blocks->buffer + blocks->given;
	if (blocks->last - blocks->offset >= size)
		return size;
	size_t from = blocks->last - blocks->offset - 1; /* not 0 bytes: there is a line that begins before */
	const char *newline = memchr(text + from, '\n', size - from);
	return newline ? (size_t)(newline - text) + 1 : size;
}

gemp_code gemp_line_blocks_next(gemp_line_blocks *blocks, char **text, size_t *size)
{
	*size = 0;
	if (blocks->offset >= blocks->last)
		return GEMP_OK;
	GEMP_PROPAGATE(fill(blocks));
	while (whole_lines(blocks) == 0 && !blocks->finished) {
		GEMP_PROPAGATE(widen(blocks));
		GEMP_PROPAGATE(fill(blocks));
	}
	*text = blocks->buffer;
	*size = cut(blocks, whole_lines(blocks));
	blocks->given = *size;
	blocks->offset += *size;
	return GEMP_OK;
}

/* The end of the line that an earlier range has begun. */
static gemp_code skip_rest(gemp_line_blocks *blocks)
{
	while (!blocks->finished || blocks->given < blocks->end) {
		GEMP_PROPAGATE(fill(blocks));
		size_t size = blocks->end - blocks->given;
		const char *newline = size ? memchr(blocks->buffer, '\n', size) : NULL;
		blocks->given = newline ? (size_t)(newline - blocks->buffer) + 1 : size;
		blocks->offset += blocks->given;
		if (newline)
			break;
	}
	return GEMP_OK;
}

static gemp_code begin_text(gemp_line_blocks *blocks, uint64_t begin)
{
	if (begin > 0)
		return skip_rest(blocks);
	GEMP_PROPAGATE(fill(blocks));
	if (blocks->end == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", blocks->path);
	if (blocks->end >= MARK && memcmp(blocks->buffer, "\xef\xbb\xbf", MARK) == 0) {
		blocks->given = blocks->offset = MARK;
		if (blocks->last > 0 && blocks->last <= MARK) /* the first line still belongs to the range of byte 0 */
			blocks->last = MARK + 1;
	}
	return GEMP_OK;
}

gemp_code gemp_line_blocks_open(gemp_line_blocks **out, const char *path, uint64_t begin, uint64_t end)
{
	gemp_code code = GEMP_OK;
	gemp_line_blocks *blocks = NULL;
	GEMP_TRY(GEMP_NEW(blocks, 1));
	blocks->path = path;
	blocks->last = end;
	blocks->offset = begin > 0 ? begin - 1 : 0; /* a line begins at `begin` if a newline stands before it */
	blocks->begin = blocks->offset;
	blocks->capacity = gemp_lines_block_size < MARK + 1 ? MARK + 1 : gemp_lines_block_size;
	GEMP_TRY(GEMP_NEW(blocks->buffer, blocks->capacity));
	GEMP_TRY(gemp_source_open(&blocks->source, path, blocks->offset));
	GEMP_TRY(begin_text(blocks, begin));
	*out = blocks;
	blocks = NULL;
done:
	gemp_line_blocks_close(blocks);
	return code;
}

uint64_t gemp_line_blocks_position(const gemp_line_blocks *blocks)
{
	return gemp_source_position(blocks->source) - blocks->begin;
}

void gemp_line_blocks_close(gemp_line_blocks *blocks)
{
	if (!blocks)
		return;
	gemp_source_close(blocks->source);
	gemp_free(blocks->buffer);
	gemp_free(blocks);
}

static gemp_code count_lines(gemp_lines *lines, uint64_t count[2])
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	char *text;
	size_t size;
	if (lines->bytes.begin == lines->bytes.end)
		return GEMP_OK;
	GEMP_TRY(gemp_stream_open(&stream, lines->path, lines->bytes.begin, lines->bytes.end));
	for (;;) {
		GEMP_TRY(gemp_stream_next(stream, false, &text, &size));
		if (!text)
			break;
		count[1] += !lines->is_item || lines->is_item(text, size);
	}
	count[0] = gemp_stream_line(stream) - 1;
done:
	gemp_stream_close(stream);
	return code;
}

gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn)
{
	gemp_code code = GEMP_OK;
	gemp_stream_info info = { 0 };
	uint64_t found[2] = { 0 }, count[2] = { 0 };
	*lines = (gemp_lines){ .path = path, .is_item = is_item };
	if (comm->rank == 0)
		code = gemp_stream_inspect(path, &info);
	GEMP_TRY(gemp_comm_agree(comm, code));
	found[0] = info.size;
	found[1] = info.compressed;
	GEMP_MPI(MPI_Bcast(found, 2, MPI_UINT64_T, 0, comm->world));
	lines->size = found[0];
	if (!found[1])
		lines->bytes = gemp_comm_block(comm, found[0]);
	else if (turn % (size_t)comm->size == (size_t)comm->rank)
		lines->bytes = (gemp_block_range){ 0, GEMP_STREAM_END };
	GEMP_TRY(gemp_comm_agree(comm, count_lines(lines, count)));
	lines->lines_before = gemp_comm_exscan(comm, count[0]);
	lines->items_before = gemp_comm_exscan(comm, count[1]);
	lines->items = gemp_comm_sum1(comm, count[1]);
done:
	return code;
}

/* Up to the end, or until *enough (NULL: never). */
static gemp_code visit_lines(const gemp_lines *lines, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_code code = GEMP_OK;
	gemp_stream *stream = NULL;
	gemp_line line = { 0 };
	uint64_t items = lines->items_before;
	GEMP_TRY(gemp_stream_open(&stream, lines->path, lines->bytes.begin, lines->bytes.end));
	while (!enough || !*enough) {
		GEMP_TRY(gemp_stream_next(stream, false, &line.text, &line.size));
		if (!line.text)
			break;
		line.line = lines->lines_before + gemp_stream_line(stream);
		line.item = items;
		items += !lines->is_item || lines->is_item(line.text, line.size);
		code = gemp_utf8_require(line.text, line.size);
		GEMP_THEN(visit(self, &line));
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, line.line);
		if (code != GEMP_OK)
			break;
	}
done:
	gemp_stream_close(stream);
	return code;
}

gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self)
{
	bool none = lines->bytes.begin == lines->bytes.end;
	return gemp_comm_agree(comm, none ? GEMP_OK : visit_lines(lines, visit, self, NULL));
}

gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_lines lines = { .path = path, .bytes = { 0, GEMP_STREAM_END } };
	return visit_lines(&lines, visit, self, enough);
}
