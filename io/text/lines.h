/* lines: all ranks together read a text file that is plain, gzip, bzip2 or Zstandard, line by line.
 *
 * Of a plain file, every rank visits the lines that begin in its own byte range. One rank reads a compressed file as a
 * whole. Opening a file counts the lines of each rank, so every line is visited with its number in the file.
 *
 * For threads, each block of whole lines (io/file/stream.h) is cut into GEMP_LINE_CHUNKS chunks of whole lines; some
 * chunks may be empty. The lines of all chunks are counted before any chunk is visited, so the number of every line is
 * known. A failure in a chunk does not stop the chunks before it. So the reported failure is the first one in the file,
 * whatever the number of threads. */

#ifndef GEMP_IO_TEXT_LINES_H
#define GEMP_IO_TEXT_LINES_H

#include "comm/comm.h"
#include "core/memory.h"

/* Tests whether the line is an item. Items, such as the vertices of a METIS file, are numbered through the file. */
typedef bool gemp_is_item(const char *text, size_t size);

typedef struct gemp_line {
	char *text; /* [size]; the visitor may write to it */
	size_t size;
	uint64_t line; /* line number in the file, from 1 */
	uint64_t item; /* number of items before this line; gemp_line_chunks_visit does not set it */
} gemp_line;

/* Visits one line. gemp_lines_visit adds file and line to the message of GEMP_EDATA. */
typedef gemp_code gemp_visit_line(void *self, const gemp_line *line);

typedef struct gemp_lines {
	const char *path;                    /* borrowed */
	gemp_is_item *is_item;               /* NULL: every line is an item */
	gemp_block_range bytes;              /* this rank visits the lines that begin in this range */
	uint64_t size;                       /* bytes of the stored file */
	uint64_t lines_before, items_before; /* lines and items of all lower ranks */
	uint64_t items;                      /* items of all ranks */
	uint64_t text_bytes;                 /* bytes of the whole text, after decompression */
} gemp_lines;

/* Collective. Opens the file and counts its lines and items. Rank turn % ranks reads a compressed file, so that several
 * files can be spread over the ranks. */
gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn);

/* Collective. Visits this rank's lines in their order. A line that is not UTF-8 is GEMP_EDATA. Errors of this function
 * and of `visit` name file and line. All ranks return the same code. */
gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self);

enum { GEMP_LINE_CHUNKS = 64 };

typedef struct gemp_line_chunk {
	char *text; /* [size] */
	size_t size;
	uint64_t lines, lines_before; /* lines of this chunk; lines of the file before this chunk */
} gemp_line_chunk;

typedef struct gemp_line_chunks {
	gemp_line_chunk chunk[GEMP_LINE_CHUNKS];
	uint64_t lines; /* lines of all chunks */
} gemp_line_chunks;

typedef struct gemp_line_failure {
	size_t chunk;
	uint64_t line; /* number of the line that failed with GEMP_EDATA; 0 for another failure */
} gemp_line_failure;

/* Is called for each block in turn; most callbacks call gemp_line_chunks_visit. If a line fails, the callback sets
 * failure->line. */
typedef gemp_code gemp_visit_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure);

/* Collective. Visits this rank's lines block by block; `visit` may use all threads. UTF-8 is not checked. Errors as in
 * gemp_lines_visit. */
gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self);

/* Local. Visits the lines of a file from its beginning until a visit sets *enough. Errors name file and line. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough);

/* Local. Cuts a block into chunks; threads count the lines. lines_before: lines of the file before the block. */
void gemp_line_chunks_cut(gemp_line_chunks *out, char *text, size_t size, uint64_t lines_before);

/* Visits one line, without its line end. Several threads call this function at the same time. One thread visits all
 * lines of a chunk, in their order. */
typedef gemp_code gemp_visit_chunk_line(void *self, unsigned thread, size_t chunk, const gemp_line *line);

/* Local. Visits all lines of the block. After a failure *failure holds the place, and the message is the one that
 * `visit` set. */
gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure);

/* Visits lines at the front of the text together, as many as this function can. *text becomes the first line that it
 * leaves to `visit`, and *line the number of the line before. */
typedef gemp_code gemp_visit_many_lines(void *self, unsigned thread, char **text, const char *end, uint64_t *line);
/* The same as gemp_line_chunks_visit; `many`, which may be NULL, is called before each call of `visit`. */
gemp_code gemp_line_chunks_visit_many(const gemp_line_chunks *chunks, gemp_visit_many_lines *many,
                                      gemp_visit_chunk_line *visit, void *self, gemp_line_failure *failure);

#endif
