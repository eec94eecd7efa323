/* rows_text: many rows as text, by all threads, in the forms of io/rows/row_text.h.
 *
 * A chunk of rows is written cell by cell into a buffer of its own. Numbers need no call of the C library, and strings
 * without special characters are copied from the column or dictionary that has them. */

#ifndef GEMP_IO_ROWS_ROWS_TEXT_H
#define GEMP_IO_ROWS_ROWS_TEXT_H

#include "io/rows/row_text.h"

/* Appends the first `rows` rows; GEMP_ENOMEM is the only failure. */
gemp_code gemp_rows_text(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count, size_t rows);

#endif
