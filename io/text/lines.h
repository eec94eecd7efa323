/* lines: a text file, plain, gzip or Zstandard, read line by line by all ranks together.
 *
 * Every rank visits the lines that begin in its own byte range of a plain file; compressed files go whole to one rank
 * each, in turn. Opening counts the lines of lower ranks, so every line is visited with its number in the file.
 *
 * For threads, blocks of whole lines (io/file/stream.h) are cut into GEMP_LINE_CHUNKS chunks of whole lines, some of
 * them empty. The lines of all chunks are counted before any is visited, so every line is visited with its number. A
 * failure in a chunk does not stop the chunks before it: the first failure in the order of the file is reported,
 * whatever the number of threads.
 */

#ifndef GEMP_IO_TEXT_LINES_H
#define GEMP_IO_TEXT_LINES_H

#include "comm/comm.h"
#include "core/memory.h"

/* Is this line an item? Items are numbered through the file, such as the vertices of a METIS file. */
typedef bool gemp_is_item(const char *text, size_t size);

typedef struct gemp_line {
	char *text; /* [size]; may be written to */
	size_t size;
	uint64_t line; /* number in the file, from 1 */
	uint64_t item; /* number of items before this line; chunks of blocks do not set it */
} gemp_line;

/* The caller puts file and line in front of the message of GEMP_EDATA. */
typedef gemp_code gemp_visit_line(void *self, const gemp_line *line);

typedef struct gemp_lines {
	const char *path;                    /* borrowed */
	gemp_is_item *is_item;               /* NULL: every line is an item */
	gemp_block_range bytes;              /* this rank visits the lines that begin there */
	uint64_t size;                       /* bytes of the file as stored */
	uint64_t lines_before, items_before; /* of lower ranks */
	uint64_t items;                      /* of all ranks */
} gemp_lines;

/* Collective. Rank turn % ranks reads a compressed file. */
gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn);

/* Collective. Visits this rank's lines; a line that is not UTF-8 is GEMP_EDATA. Errors, also those of `visit`, name
 * file and line; all ranks return the same code. */
gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self);

enum { GEMP_LINE_CHUNKS = 64 };

typedef struct gemp_line_chunk {
	char *text; /* [size] */
	size_t size;
	uint64_t lines, lines_before; /* of the chunk, and before it in the file */
} gemp_line_chunk;

typedef struct gemp_line_chunks {
	gemp_line_chunk chunk[GEMP_LINE_CHUNKS];
	uint64_t lines; /* of all chunks */
} gemp_line_chunks;

typedef struct gemp_line_failure {
	size_t chunk;
	uint64_t line; /* the number of the line that failed with GEMP_EDATA; 0: another failure */
} gemp_line_failure;

/* Is called for one block after the other, and mostly calls gemp_line_chunks_visit. A failure of a line sets
 * failure->line. */
typedef gemp_code gemp_visit_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure);

/* Collective. Visits this rank's lines with all threads, block by block, without a check of UTF-8. Errors as of
 * gemp_lines_visit. */
gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self);

/* Local. Visits the lines of a file from its beginning until *enough. Errors name file and line. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough);

/* Local. Cuts a block, which `lines_before` lines precede in the file; threads count its lines. */
void gemp_line_chunks_cut(gemp_line_chunks *out, char *text, size_t size, uint64_t lines_before);

/* Several threads call this for each line, without its line end; one thread visits a chunk's lines in their order. */
typedef gemp_code gemp_visit_chunk_line(void *self, unsigned thread, size_t chunk, const gemp_line *line);

/* Local. Visits all lines. After a failure *failure says where; the message is that of `visit`. */
gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure);

#endif
