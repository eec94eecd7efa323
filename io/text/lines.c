/* A file is read twice: once to count lines and items, whose prefix sums over the ranks give every line
 * its number, and once to visit the lines. */

#include "io/text/lines.h"

#include "core/memory.h"
#include "io/file/source.h"
#include "io/file/stream.h"
#include "io/text/text_cells.h"

#include <inttypes.h>
#include <string.h>

/* Local. The blocks of this rank's part. */
static gemp_code visit_blocks(const gemp_lines *lines, gemp_visit_block *visit, void *self)
{
	gemp_code code = GEMP_OK;
	gemp_line_blocks *blocks = NULL;
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
done:
	gemp_line_blocks_close(blocks);
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
	GEMP_PROPAGATE(gemp_comm_agree(comm, code));
	found[0] = info.size;
	found[1] = info.compressed;
	GEMP_MPI(MPI_Bcast(found, 2, MPI_UINT64_T, 0, comm->world));
	lines->size = found[0];
	if (!found[1])
		lines->bytes = gemp_comm_block(comm, found[0]);
	else if (turn % (size_t)comm->size == (size_t)comm->rank)
		lines->bytes = (gemp_block_range){ 0, GEMP_STREAM_END };
	GEMP_PROPAGATE(gemp_lines_visit_blocks(lines, comm, count_block, &counts));
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

/* One process, from the beginning of the file; for headers. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough)
{
	gemp_lines lines = { .path = path, .bytes = { 0, GEMP_STREAM_END } };
	return visit_lines(&lines, visit, self, enough);
}
