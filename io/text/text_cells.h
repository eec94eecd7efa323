/* text_cells: a record of a text file as cells, in place, and checks of UTF-8.
 *
 * Cells are slices of the record and are valid as long as it is. CSV is unquoted within the record, whose bytes change.
 */

#ifndef GEMP_IO_TEXT_TEXT_CELLS_H
#define GEMP_IO_TEXT_TEXT_CELLS_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>

/* A slice of the record. */
typedef struct gemp_text_cell {
	const char *bytes;
	size_t size;
	bool null; /* empty; in CSV only if not quoted */
} gemp_text_cell;

/* Grows to the widest record. {0} is empty. */
typedef struct gemp_cells {
	gemp_text_cell *cell; /* [count] */
	size_t count, capacity;
} gemp_cells;

void gemp_cells_free(gemp_cells *cells);

/* Each replaces what `cells` held; errors have neither file nor line. */
gemp_code gemp_cells_tsv(gemp_cells *cells, const char *record, size_t size);    /* tabs, no quoting */
gemp_code gemp_cells_csv(gemp_cells *cells, char *record, size_t size);          /* RFC 4180; unquotes in the record */
gemp_code gemp_cells_blanks(gemp_cells *cells, const char *record, size_t size); /* words between blanks and tabs */

/* The first byte that is not UTF-8 (or is 0, which no text has); size if there is none. */
size_t gemp_utf8_check(const char *bytes, size_t size);
/* GEMP_EDATA that names byte and column if there is one; with neither file nor line. */
gemp_code gemp_utf8_require(const char *bytes, size_t size);

#endif
