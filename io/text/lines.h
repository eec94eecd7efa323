/* lines: text files of one import read line by line, by all ranks together.
 *
 * A plain file is cut by byte range, so that every rank visits the lines that begin in its own; a compressed one goes
 * whole to one rank, the next one to the next. Lines are numbered through the file on every rank from the first visit
 * on: opening counts what lower ranks have.
 */

#ifndef GEMP_IO_TEXT_LINES_H
#define GEMP_IO_TEXT_LINES_H

#include "comm/comm.h"
#include "io/text/line_blocks.h"

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

/* Given one block after the other, as chunks; mostly calls gemp_line_chunks_visit. A failure of a line sets failure->line. */
typedef gemp_code gemp_visit_block(void *self, const gemp_line_chunks *chunks, gemp_line_failure *failure);

/* Collective. Visits this rank's lines by all threads, block by block; whether they are UTF-8 is not looked at. Errors as
 * above. */
gemp_code gemp_lines_visit_blocks(const gemp_lines *lines, const gemp_comm *comm, gemp_visit_block *visit, void *self);

/* Local. Visits the lines of a file from its beginning until *enough. Errors name file and line. */
gemp_code gemp_lines_head(const char *path, gemp_visit_line *visit, void *self, const bool *enough);

#endif
