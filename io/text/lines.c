/* A file is read twice: once to count lines and items, whose prefix sums over the ranks give every line
 * its number, and once to visit the lines. */

#include "io/text/lines.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "io/file/stream.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* Ranges of a plain file begin at any byte: a range skips the rest of the line that began before it, and
 * reads its last line to the end, so that each line belongs to exactly one range. */

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

/* Local. The blocks of this rank's part. */
static gemp_code visit_blocks(const gemp_lines *lines, gemp_visit_block *visit, void *self)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_line_blocks_close_at) gemp_line_blocks *blocks = NULL;
	uint64_t before = lines->lines_before;
	if (lines->bytes.begin == lines->bytes.end)
		return GEMP_OK;
	GEMP_TRY(gemp_line_blocks_open(&blocks, lines->path, lines->bytes.begin, lines->bytes.end));
	for (;;) {
		char *text;
		size_t size;
		gemp_line_chunks chunks;
		gemp_line_failure failure = { 0 };
		GEMP_TRY(gemp_line_blocks_next(blocks, &text, &size));
		if (!size)
			break;
		gemp_line_chunks_cut(&chunks, text, size, before);
		before += chunks.lines;
		code = visit(self, &chunks, &failure);
		if (code == GEMP_EDATA && failure.line)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, failure.line);
		GEMP_TRY(code);
	}
	return code;
}

gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self)
{
	return gemp_comm_agree(comm, visit_blocks(lines, visit, self));
}

/* Items are counted per chunk, as several threads count at the same time. */
typedef struct line_counts {
	gemp_is_item *is_item;
	uint64_t lines, items;
	uint64_t chunk_items[GEMP_LINE_CHUNKS];
} line_counts;

static gemp_code count_item(void *self, unsigned thread, size_t chunk, const gemp_line *line)
{
	line_counts *counts = self;
	(void)thread;
	counts->chunk_items[chunk] += counts->is_item(line->text, line->size);
	return GEMP_OK;
}

/* Line numbers need only the newlines; items need a look at each line. */
static gemp_code count_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure)
{
	line_counts *counts = self;
	counts->lines += chunks->lines;
	return counts->is_item ? gemp_line_chunks_visit(chunks, count_item, self, failure) : GEMP_OK;
}

/* Rank 0 alone inspects the file, so that a file that changes meanwhile cannot divide the ranks. */
gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn)
{
	gemp_code code = GEMP_OK;
	gemp_stream_info info = { 0 };
	uint64_t found[2] = { 0 };
	line_counts counts = { .is_item = is_item };
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
	GEMP_TRY(gemp_lines_visit_blocks(lines, comm, count_block, &counts));
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		counts.items += counts.chunk_items[i];
	counts.items = is_item ? counts.items : counts.lines;
	lines->lines_before = gemp_comm_exscan(comm, counts.lines);
	lines->items_before = gemp_comm_exscan(comm, counts.items);
	lines->items = gemp_comm_sum1(comm, counts.items);
	return GEMP_OK;
}

/* Up to the end, or until *enough (NULL: never). */
static gemp_code visit_lines(const gemp_lines *lines, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_code code = GEMP_OK;
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
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
	return code;
}

gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self)
{
	bool none = lines->bytes.begin == lines->bytes.end;
	return gemp_comm_agree(comm, none ? GEMP_OK : visit_lines(lines, visit, self, NULL));
}

/* One process, from the beginning of the file; for headers. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_lines lines = { .path = path, .bytes = { 0, GEMP_STREAM_END } };
	return visit_lines(&lines, visit, self, enough);
}

enum { MAX_LINE = 1 << 28, MARK_SIZE = 3 /* of a UTF-8 byte order mark */ };

/* Until the buffer is full or the text ends. */
static gemp_code fill_buffer(gemp_line_blocks *blocks)
{
	size_t kept = blocks->end - blocks->given;
	if (blocks->given)
		memmove(blocks->buffer, blocks->buffer + blocks->given, kept);
	blocks->given = 0;
	blocks->end = kept;
	while (blocks->end < blocks->capacity && !blocks->finished) {
		size_t got;
		GEMP_TRY(gemp_source_read(blocks->source, blocks->buffer + blocks->end, blocks->capacity - blocks->end, &got));
		blocks->finished = got == 0;
		blocks->end += got;
	}
	return GEMP_OK;
}

/* A block must hold one whole line; a line beyond MAX_LINE is more likely a binary file. */
static gemp_code double_buffer(gemp_line_blocks *blocks)
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
static size_t cut_at_last(const gemp_line_blocks *blocks, size_t size)
{
	const char *text = blocks->buffer + blocks->given;
	if (blocks->last - blocks->offset >= size)
		return size;
	size_t from = blocks->last - blocks->offset - 1; /* not 0 bytes: there is a line that begins before */
	const char *newline = memchr(text + from, '\n', size - from);
	return newline ? (size_t)(newline - text) + 1 : size;
}

/* The buffer grows only where it holds no line end at all. */
gemp_code gemp_line_blocks_next(gemp_line_blocks *blocks, char **text, size_t *size)
{
	*size = 0;
	if (blocks->offset >= blocks->last)
		return GEMP_OK;
	GEMP_TRY(fill_buffer(blocks));
	while (whole_lines(blocks) == 0 && !blocks->finished) {
		GEMP_TRY(double_buffer(blocks));
		GEMP_TRY(fill_buffer(blocks));
	}
	*text = blocks->buffer;
	*size = cut_at_last(blocks, whole_lines(blocks));
	blocks->given = *size;
	blocks->offset += *size;
	return GEMP_OK;
}

/* The end of the line that an earlier range has begun. */
static gemp_code skip_rest(gemp_line_blocks *blocks)
{
	while (!blocks->finished || blocks->given < blocks->end) {
		GEMP_TRY(fill_buffer(blocks));
		size_t size = blocks->end - blocks->given;
		const char *newline = size ? memchr(blocks->buffer, '\n', size) : NULL;
		blocks->given = newline ? (size_t)(newline - blocks->buffer) + 1 : size;
		blocks->offset += blocks->given;
		if (newline)
			break;
	}
	return GEMP_OK;
}

/* The mark of UTF-8 is no text; a range that ends within it still has the first line. */
static gemp_code begin_text(gemp_line_blocks *blocks, uint64_t begin)
{
	if (begin > 0)
		return skip_rest(blocks);
	GEMP_TRY(fill_buffer(blocks));
	if (blocks->end == 0)
		return gemp_fail(GEMP_EDATA, "%s: is empty; write the table again, or leave the file out", blocks->path);
	if (blocks->end >= MARK_SIZE && memcmp(blocks->buffer, "\xef\xbb\xbf", MARK_SIZE) == 0) {
		blocks->given = blocks->offset = MARK_SIZE;
		if (blocks->last > 0 && blocks->last <= MARK_SIZE) /* the first line still belongs to the range of byte 0 */
			blocks->last = MARK_SIZE + 1;
	}
	return GEMP_OK;
}

/* A range begins one byte early: the newline there tells whether a line begins exactly at `begin`. */
gemp_code gemp_line_blocks_open(gemp_line_blocks **out, const char *path, uint64_t begin, uint64_t end)
{
	GEMP_OWNED_BY(gemp_line_blocks_close_at) gemp_line_blocks *blocks = NULL;
	GEMP_TRY(GEMP_NEW(blocks, 1));
	blocks->path = path;
	blocks->last = end;
	blocks->offset = begin > 0 ? begin - 1 : 0; /* a line begins at `begin` if a newline stands before it */
	blocks->begin = blocks->offset;
	blocks->capacity = gemp_max(gemp_limits_now()->lines_block, MARK_SIZE + 1);
	GEMP_TRY(GEMP_NEW(blocks->buffer, blocks->capacity));
	GEMP_TRY(gemp_source_open(&blocks->source, path, blocks->offset));
	GEMP_TRY(begin_text(blocks, begin));
	*out = blocks;
	blocks = NULL;
	return GEMP_OK;
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
	gemp_free_all(blocks->buffer, blocks);
}

/* CHUNKS */

/* A chunk begins at a line: where `index` of all bytes' parts would begin, or at the next line behind it. */
static size_t chunk_begin(const char *text, size_t size, size_t index)
{
	size_t at = size / GEMP_LINE_CHUNKS * index + size % GEMP_LINE_CHUNKS * index / GEMP_LINE_CHUNKS;
	if (at == 0 || at >= size)
		return at < size ? at : size;
	const char *newline = memchr(text + at - 1, '\n', size - at + 1);
	return newline ? (size_t)(newline - text) + 1 : size;
}

/* memchr finds newlines at several bytes a cycle, so that counting costs little beside parsing. */
static void count_chunk(void *context, unsigned thread, size_t index)
{
	(void)thread;
	gemp_line_chunk *chunk = &((gemp_line_chunks *)context)->chunk[index];
	const char *end = chunk->text + chunk->size;
	for (const char *at = chunk->text; at < end; chunk->lines++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
}

/* Counting comes first, so that each chunk knows the number of its first line. */
void gemp_line_chunks_cut(gemp_line_chunks *out, char *text, size_t size, uint64_t lines_before)
{
	*out = (gemp_line_chunks){ 0 };
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++) {
		size_t begin = chunk_begin(text, size, i);
		out->chunk[i] = (gemp_line_chunk){ .text = text + begin, .size = chunk_begin(text, size, i + 1) - begin };
	}
	gemp_parallel_for(GEMP_LINE_CHUNKS, count_chunk, out);
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++) {
		out->chunk[i].lines_before = lines_before + out->lines;
		out->lines += out->chunk[i].lines;
	}
}

/* What the threads share while they visit a block; each chunk has a failure of its own, so that no lock is
 * needed. */
typedef struct chunk_visit {
	const gemp_line_chunks *chunks;
	gemp_visit_chunk_line *visit;
	void *self;
	atomic_size_t failed; /* the lowest chunk that failed; GEMP_LINE_CHUNKS: none */
	struct {
		gemp_code code;
		uint64_t line;
		char *message; /* owned */
	} failure[GEMP_LINE_CHUNKS];
} chunk_visit;

/* The message of gemp_fail belongs to the thread: it is copied for the caller. */
static void record_failure(chunk_visit *v, size_t index, gemp_code code, uint64_t line)
{
	size_t lowest = v->failed;
	while (index < lowest && !atomic_compare_exchange_weak(&v->failed, &lowest, index))
		;
	v->failure[index].code = code;
	v->failure[index].line = line;
	v->failure[index].message = gemp_strdup(gemp_message());
}

/* Chunks before one that fails are read to their ends, so that the failure that is reported is the file's first. */
static void visit_chunk(void *context, unsigned thread, size_t index)
{
	chunk_visit *v = context;
	const gemp_line_chunk *chunk = &v->chunks->chunk[index];
	gemp_line line = { .text = chunk->text, .line = chunk->lines_before };
	char *end = chunk->text + chunk->size;
	gemp_code code = GEMP_OK;
	if (index > v->failed)
		return;
	for (char *next; line.text < end && code == GEMP_OK; line.text = next) {
		char *newline = memchr(line.text, '\n', (size_t)(end - line.text)), *stop = newline ? newline : end;
		next = newline ? newline + 1 : end;
		line.size = (size_t)(stop - line.text);
		line.size -= line.size && stop[-1] == '\r';
		line.line++;
		code = v->visit(v->self, thread, index, &line);
	}
	if (code != GEMP_OK)
		record_failure(v, index, code, line.line);
}

/* Returns as the lowest failing chunk did, which is the first failure in the file. */
gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure)
{
	gemp_code code = GEMP_OK;
	chunk_visit v = { .chunks = chunks, .visit = visit, .self = self, .failed = GEMP_LINE_CHUNKS };
	gemp_parallel_for(GEMP_LINE_CHUNKS, visit_chunk, &v);
	if (v.failed < GEMP_LINE_CHUNKS) {
		code = v.failure[v.failed].code;
		*failure = (gemp_line_failure){ v.failed, code == GEMP_EDATA ? v.failure[v.failed].line : 0 };
		gemp_fail(code, "%s", v.failure[v.failed].message ? v.failure[v.failed].message : "out of memory");
	}
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		gemp_free(v.failure[i].message);
	return code;
}
