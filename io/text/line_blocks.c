/* Ranges of a plain file begin at any byte: a range skips the rest of the line that began before it, and
 * reads its last line to the end, so that each line belongs to exactly one range. */

#include "io/text/line_blocks.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/threads.h"
#include "io/file/source.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_LINE = 1 << 28, MARK_SIZE = 3 /* of a UTF-8 byte order mark */ };

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

/* A block must hold one whole line; a line beyond MAX_LINE is more likely a binary file. */
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

/* The buffer grows only where it holds no line end at all. */
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

/* The mark of UTF-8 is no text; a range that ends within it still has the first line. */
static gemp_code begin_text(gemp_line_blocks *blocks, uint64_t begin)
{
	if (begin > 0)
		return skip_rest(blocks);
	GEMP_PROPAGATE(fill(blocks));
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
	gemp_code code = GEMP_OK;
	gemp_line_blocks *blocks = NULL;
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

/* The message of gemp_fail belongs to the thread, so that it is copied for the caller. */
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
