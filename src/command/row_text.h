/* row_text: projected rows as text.
 *
 * TSV has no quoting: within a string tab, line feed, carriage return and backslash are written \t, \n, \r and \\; NULL is
 * an empty cell; an edge is type:source->target; a list is its JSON. CSV is RFC 4180: NULL is nothing, an empty string "",
 * a NULL that is alone in its row "" too, as an empty line would be no row. JSON lines: one object a row; NULL is null, as
 * are numbers that JSON has no form for; an edge is {"type": ..., "source": ..., "target": ...}.
 */
#ifndef GEMP_COMMAND_ROW_TEXT_H
#define GEMP_COMMAND_ROW_TEXT_H

#include "query/projection.h"
#include "core/text.h"

typedef enum gemp_row_form { GEMP_ROWS_TSV, GEMP_ROWS_CSV, GEMP_ROWS_JSON } gemp_row_form;

/* The first `rows` rows. Only fails for want of memory. */
gemp_code gemp_rows_text(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count, size_t rows);

/* These only fail for want of memory: gemp_text_status tells. */
void gemp_tsv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_tsv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_csv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_csv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_json_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);

/* Lines of TSV, a header first, as a table with aligned columns for people; long cells are cut. */
gemp_code gemp_align_tsv(gemp_text *out, const char *tsv, size_t size);

#endif
