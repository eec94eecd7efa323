/* lines: text files of one import read line by line, by all ranks together.
 *
 * A plain file is cut by byte range, so that every rank visits the lines that begin in its own; a compressed one goes
 * whole to one rank, the next one to the next. Lines are numbered through the file on every rank from the first visit
 * on: opening counts what lower ranks have.
 */

#ifndef GEMP_IO_TEXT_LINES_H
#define GEMP_IO_TEXT_LINES_H

#include "comm/comm.h"

/* blocks: a text file, plain, gzip or Zstandard, as blocks of whole lines, for all threads to work on.
 *
 * Where blocks end depends on the file and on `begin` alone, so that whoever reads it again gets the same ones. A UTF-8 byte
 * order mark is left out.
 */

/* Bytes in a block, unless one line is longer; tests make it small. */
extern size_t gemp_lines_block_size;

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

/* Is this line one of the items, which are numbered through the file? */
typedef bool gemp_is_item(const char *text, size_t size);

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

/* Local. Visits the lines of a file from its beginning until *enough. Errors name file and line. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough);

#endif
