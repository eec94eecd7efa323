/* A file is read twice. The first reading counts lines and items, and prefix sums of these counts over the ranks give
 * every line its number. The second reading visits the lines. */

#include "io/text/lines.h"

#include "core/limits.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "core/vector.h"
#include "io/file/stream.h"
#include "io/text/cells.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

/* Local. Visits this rank's part of the file, block by block. */
static gemp_code visit_blocks(const gemp_lines *lines, gemp_visit_block *visit, void *self)
{
	GEMP_OWNED_BY(gemp_stream_close_at) gemp_stream *stream = NULL;
	uint64_t before = lines->lines_before;
	if (lines->bytes.begin == lines->bytes.end)
		return GEMP_OK;
	GEMP_TRY(gemp_stream_open_blocks(&stream, lines->path, lines->bytes.begin, lines->bytes.end));
	for (;;) {
		char *text;
		size_t size;
		gemp_line_chunks chunks;
		gemp_line_failure failure = { 0 };
		GEMP_TRY(gemp_stream_next_block(stream, &text, &size));
		if (!size)
			return GEMP_OK;
		gemp_line_chunks_cut(&chunks, text, size, before);
		before += chunks.lines;
		gemp_code code = visit(self, &chunks, &failure);
		if (code == GEMP_EDATA && failure.line)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, failure.line);
		GEMP_TRY(code);
	}
}

gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self)
{
	return gemp_comm_agree(comm, visit_blocks(lines, visit, self));
}

/* Several threads count items at the same time, so each chunk has its own counter. */
typedef struct line_counts {
	gemp_is_item *is_item;
	uint64_t lines, items, bytes;
	uint64_t chunk_items[GEMP_LINE_CHUNKS];
} line_counts;

/* One thread visits a chunk, so the chunk's counter needs no lock. */
static gemp_code count_item(void *self, unsigned thread, size_t chunk, const gemp_line *line)
{
	line_counts *counts = self;
	(void)thread;
	counts->chunk_items[chunk] += counts->is_item(line->text, line->size);
	return GEMP_OK;
}

/* The number of lines is known already; items need a visit of every line. */
static gemp_code count_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure)
{
	line_counts *counts = self;
	counts->lines += chunks->lines;
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		counts->bytes += chunks->chunk[i].size;
	return counts->is_item ? gemp_line_chunks_visit(chunks, count_item, self, failure) : GEMP_OK;
}

/* Only rank 0 inspects the file, so all ranks use the same size even if the file changes in the meantime. */
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
	uint64_t sums[2] = { counts.items, counts.bytes };
	gemp_comm_sum(comm, sums, 2);
	lines->items = sums[0];
	lines->text_bytes = sums[1];
	return GEMP_OK;
}

/* Local. Visits the lines of this rank's range. If `enough` is not NULL, stops after the first line that sets
 * *enough. */
static gemp_code visit_lines(const gemp_lines *lines, gemp_visit_line *visit, void *self, const bool *enough)
{
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
		gemp_code code = gemp_utf8_require(line.text, line.size);
		GEMP_THEN(visit(self, &line));
		if (code == GEMP_EDATA)
			gemp_fail_in(code, "%s:%" PRIu64 ": ", lines->path, line.line);
		GEMP_TRY(code);
	}
	return GEMP_OK;
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

/* CHUNKS */

/* The bytes of the block are cut into equal parts. Chunk `index` begins with the first line that begins in or after its
 * part. */
static size_t chunk_begin(const char *text, size_t size, size_t index)
{
	size_t at = size / GEMP_LINE_CHUNKS * index + size % GEMP_LINE_CHUNKS * index / GEMP_LINE_CHUNKS;
	if (at == 0 || at >= size)
		return at < size ? at : size;
	const char *newline = memchr(text + at - 1, '\n', size - at + 1);
	return newline ? (size_t)(newline - text) + 1 : size;
}

/* Counts newlines in runs of 128 bytes, whose counts fit into bytes, so that compilers vectorise the loop. */
GEMP_VECTOR_BODY void count_newlines_loop(const char *text, size_t size, uint64_t *count)
{
	enum { RUN = 128 };
	uint64_t sum = 0;
	size_t at = 0;
	for (; at + RUN <= size; at += RUN) {
		unsigned char here = 0;
		for (size_t i = 0; i < RUN; i++)
			here = (unsigned char)(here + (text[at + i] == '\n'));
		sum += here;
	}
	for (; at < size; at++)
		sum += text[at] == '\n';
	*count = sum;
}
GEMP_VECTOR_LOOP(count_newlines, (const char *text, size_t size, uint64_t *count), (text, size, count))

/* The last line of a file may lack its newline. */
static void count_chunk(void *context, unsigned thread, size_t index)
{
	(void)thread;
	gemp_line_chunk *chunk = &((gemp_line_chunks *)context)->chunk[index];
	count_newlines(chunk->text, chunk->size, &chunk->lines);
	chunk->lines += chunk->size > 0 && chunk->text[chunk->size - 1] != '\n';
}

/* All lines are counted before any chunk is visited, since each chunk needs the number of its first line. */
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

/* State that the threads share while they visit a block. Each chunk has its own failure, so no lock is needed. */
typedef struct chunk_visit {
	const gemp_line_chunks *chunks;
	gemp_visit_many_lines *many; /* may be NULL */
	gemp_visit_chunk_line *visit;
	void *self;
	atomic_size_t failed; /* the lowest index of a chunk that failed; GEMP_LINE_CHUNKS: none */
	struct {
		gemp_code code;
		uint64_t line;
		char *message; /* owned */
	} failure[GEMP_LINE_CHUNKS];
} chunk_visit;

/* The message of gemp_fail is stored per thread, so it is copied for the calling thread. */
static void record_failure(chunk_visit *shared, size_t index, gemp_code code, uint64_t line)
{
	size_t lowest = shared->failed;
	while (index < lowest && !atomic_compare_exchange_weak(&shared->failed, &lowest, index))
		;
	shared->failure[index].code = code;
	shared->failure[index].line = line;
	shared->failure[index].message = gemp_strdup(gemp_message());
}

/* A chunk is skipped only if a chunk before it has failed. So the failure that is reported is the first one in the
 * file. */
static void visit_chunk(void *context, unsigned thread, size_t index)
{
	chunk_visit *shared = context;
	const gemp_line_chunk *chunk = &shared->chunks->chunk[index];
	gemp_line line = { .text = chunk->text, .line = chunk->lines_before };
	char *end = chunk->text + chunk->size;
	gemp_code code = GEMP_OK;
	if (index > shared->failed)
		return;
	for (char *next; line.text < end && code == GEMP_OK; line.text = next) {
		if (shared->many)
			code = shared->many(shared->self, thread, &line.text, end, &line.line);
		if (code != GEMP_OK || line.text == end)
			break;
		char *newline = memchr(line.text, '\n', (size_t)(end - line.text)), *stop = newline ? newline : end;
		next = newline ? newline + 1 : end;
		line.size = (size_t)(stop - line.text);
		line.size -= line.size && stop[-1] == '\r';
		line.line++;
		code = shared->visit(shared->self, thread, index, &line);
	}
	if (code != GEMP_OK)
		record_failure(shared, index, code, line.line);
}

gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure)
{
	return gemp_line_chunks_visit_many(chunks, NULL, visit, self, failure);
}

/* The first chunk that failed holds the first failure of the file. */
gemp_code gemp_line_chunks_visit_many(const gemp_line_chunks *chunks, gemp_visit_many_lines *many,
                                      gemp_visit_chunk_line *visit, void *self, gemp_line_failure *failure)
{
	gemp_code code = GEMP_OK;
	chunk_visit shared = { .chunks = chunks, .many = many, .visit = visit, .self = self, .failed = GEMP_LINE_CHUNKS };
	gemp_parallel_for(GEMP_LINE_CHUNKS, visit_chunk, &shared);
	const size_t first = shared.failed;
	if (first < GEMP_LINE_CHUNKS) {
		code = shared.failure[first].code;
		*failure = (gemp_line_failure){ first, code == GEMP_EDATA ? shared.failure[first].line : 0 };
		gemp_fail(code, "%s", shared.failure[first].message ? shared.failure[first].message : "out of memory");
	}
	for (size_t i = 0; i < GEMP_LINE_CHUNKS; i++)
		gemp_free(shared.failure[i].message);
	return code;
}
