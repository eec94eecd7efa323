/* line_blocks: a text file, plain, gzip or Zstandard, as blocks of whole lines, and blocks cut into chunks for threads.
 *
 * Where blocks end depends on the file and on `begin` alone, so that a second reading gives the same blocks. A UTF-8 byte
 * order mark is left out. A block is cut into GEMP_LINE_CHUNKS chunks of whole lines (some empty) which follow one another;
 * the lines of all chunks are counted before any is visited, so that every line is visited with its number. A failure in a
 * chunk does not stop the chunks before it: what is reported is the first failure in the order of the file, whatever the
 * number of threads. All functions are local.
 */

#ifndef GEMP_IO_TEXT_LINE_BLOCKS_H
#define GEMP_IO_TEXT_LINE_BLOCKS_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct gemp_line_blocks gemp_line_blocks;

/* The lines that begin in [begin, end) of a plain file; a compressed one: begin 0, end GEMP_STREAM_END. `path` is borrowed. */
gemp_code gemp_line_blocks_open(gemp_line_blocks **out, const char *path, uint64_t begin, uint64_t end);
void gemp_line_blocks_close(gemp_line_blocks *blocks); /* takes NULL */

/* The next block: only the last line of a file may lack its newline. It may be written to and is valid until the next call.
 * *size is 0 at the end. */
gemp_code gemp_line_blocks_next(gemp_line_blocks *blocks, char **text, size_t *size);
/* Bytes of the stored file, compressed or not, that were taken since the beginning. */
uint64_t gemp_line_blocks_position(const gemp_line_blocks *blocks);

typedef struct gemp_line {
	char *text; /* [size]; may be written to */
	size_t size;
	uint64_t line; /* from 1 */
	uint64_t item; /* from 0: of the items, which lines are items; set where the caller's `is_item` holds */
} gemp_line;

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

/* Cuts a block in front of which `lines_before` lines stand; counts lines by threads. */
void gemp_line_chunks_cut(gemp_line_chunks *out, char *text, size_t size, uint64_t lines_before);

/* Given each line without its line end, by several threads; a chunk's lines in order by one of them. `item` is not set. */
typedef gemp_code gemp_visit_chunk_line(void *self, unsigned thread, size_t chunk, const gemp_line *line);

typedef struct gemp_line_failure {
	size_t chunk;
	uint64_t line; /* the number of the line that failed with GEMP_EDATA; 0: another failure */
} gemp_line_failure;

/* Visits all lines. After a failure *failure says where; the message is as `visit` gave it. */
gemp_code gemp_line_chunks_visit(const gemp_line_chunks *chunks, gemp_visit_chunk_line *visit, void *self,
                                 gemp_line_failure *failure);

#endif
