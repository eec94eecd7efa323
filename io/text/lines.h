/* lines: text files of one import read line by line, by all ranks together.
 *
 * A plain file is cut by byte range, so that every rank visits the lines that begin in its own; a compressed one goes
 * whole to one rank, the next one to the next. Lines are numbered through the file on every rank from the first visit
 * on: opening counts what lower ranks have.
 */

#ifndef GEMP_IO_TEXT_LINES_H
#define GEMP_IO_TEXT_LINES_H

#include "comm/comm.h"
#include "core/memory.h"

/* Is this line one of the items, which are numbered through the file? */
typedef bool gemp_is_item(const char *text, size_t size);

/* BLOCKS: a text file, plain, gzip or Zstandard, as blocks of whole lines, and blocks cut into chunks for threads.
 *
 * Where blocks end depends on the file and on `begin` alone, so that a second reading gives the same blocks. A UTF-8
 * byte order mark is left out. A block is cut into GEMP_LINE_CHUNKS chunks of whole lines (some empty) which follow one
 * another; the lines of all chunks are counted before any is visited, so that every line is visited with its number. A
 * failure in a chunk does not stop the chunks before it: what is reported is the first failure in the order of the
 * file, whatever the number of threads. All functions are local.
 */

typedef struct gemp_line {
	char *text; /* [size]; may be written to */
	size_t size;
	uint64_t line; /* from 1 */
	uint64_t item; /* from 0: of the items, which lines are items; set where the caller's `is_item` holds */
} gemp_line;

/* Errors with neither file nor line. */
typedef gemp_code gemp_visit_line(void *self, const gemp_line *line);

typedef struct gemp_lines {
	const char *path;                    /* borrowed */
	gemp_is_item *is_item;               /* NULL: every line */
	gemp_block_range bytes;              /* this rank visits the lines that begin there */
	uint64_t size;                       /* of the file as stored */
	uint64_t lines_before, items_before; /* of lower ranks */
	uint64_t items;                      /* of all ranks */
} gemp_lines;

/* Collective. `turn` deals out whole files: rank turn % ranks reads a compressed one. */
gemp_code gemp_lines_open(gemp_lines *lines, const gemp_comm *comm, const char *path, gemp_is_item *is_item,
                          size_t turn);

/* Collective. Visits this rank's lines, which are UTF-8. Errors, also those of `visit`, name file and line; all ranks
 * return alike. */
gemp_code gemp_lines_visit(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_line *visit, void *self);

enum { GEMP_LINE_CHUNKS = 64 };

typedef struct gemp_line_chunk {
	char *text; /* [size] */
	size_t size;
	uint64_t lines, lines_before; /* in it, and before it */
} gemp_line_chunk;

typedef struct gemp_line_chunks {
	gemp_line_chunk chunk[GEMP_LINE_CHUNKS];
	uint64_t lines; /* in all */
} gemp_line_chunks;

typedef struct gemp_line_failure {
	size_t chunk;
	uint64_t line; /* the number of the line that failed with GEMP_EDATA; 0: another failure */
} gemp_line_failure;

/* Given one block after the other, as chunks; mostly calls gemp_line_chunks_visit. A failure of a line sets
 * failure->line. */
typedef gemp_code gemp_visit_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure);

/* Collective. Visits this rank's lines by all threads, block by block; whether they are UTF-8 is not looked at. Errors
 * as above. */
gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self);

/* Local. Visits the lines of a file from its beginning until *enough. Errors name file and line. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough);

typedef struct gemp_line_blocks gemp_line_blocks;

/* The lines that begin in [begin, end) of a plain file; a compressed one: begin 0, end GEMP_STREAM_END. `path` is
 * borrowed. */
gemp_code gemp_line_blocks_open(gemp_line_blocks **out, const char *path, uint64_t begin, uint64_t end);
void gemp_line_blocks_close(gemp_line_blocks *blocks); /* takes NULL */
GEMP_RELEASE(gemp_line_blocks_close, gemp_line_blocks *)

/* The next block: only the last line of a file may lack its newline. It may be written to and is valid until the next
 * call. *size is 0 at the end. */
gemp_code gemp_line_blocks_next(gemp_line_blocks *blocks, char **text, size_t *size);
/* Bytes of the stored file, compressed or not, that were taken since the beginning. */
uint64_t gemp_line_blocks_position(const gemp_line_blocks *blocks);

/* Cuts a block in front of which `lines_before` lines stand; counts lines by threads. */
void gemp_line_chunks_cut(gemp_line_chunks *out, char *text, size_t size, uint64_t lines_before);

/* Given each line without its line end, by several threads; a chunk's lines in order by one of them. `item` is not
 * set. */
typedef gemp_code gemp_visit_chunk_line(void *self, unsigned thread, size_t chunk, const gemp_line *line);

/* Visits all lines. After a failure *failure says where; the message is as `visit` gave it. */
gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure);

#endif
