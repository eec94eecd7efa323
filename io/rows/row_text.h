/* row_text: projected rows as text.
 *
 * TSV has no quoting: within a string tab, line feed, carriage return and backslash are written \t, \n, \r and \\; NULL
 * is an empty cell; an edge is type:source->target; a list is its JSON. CSV is RFC 4180: NULL is an empty cell, an
 * empty string is "", and so is a single NULL in a row, since an empty line would be no row. JSON lines have one object
 * for each row; NULL and numbers that JSON cannot express are null; an edge is {"type": ..., "source": ..., "target":
 * ...}.
 */

#ifndef GEMP_IO_ROWS_ROW_TEXT_H
#define GEMP_IO_ROWS_ROW_TEXT_H

#include "core/text.h"
#include "graph/column.h"

/* One item: a vertex is its key, an edge its type and the keys of its ends. */
typedef struct gemp_projected {
	const char *name; /* borrowed from the pattern */
	bool edge;
	gemp_column value;          /* a key, a value; of an edge: its type */
	gemp_column source, target; /* of an edge: keys, as stored */
} gemp_projected;

void gemp_projected_free(gemp_projected *columns, size_t count);

/* The text forms come first. UNKNOWN: the path has another ending. */
typedef enum gemp_row_form {
	GEMP_ROWS_TSV,
	GEMP_ROWS_CSV,
	GEMP_ROWS_JSON,
	GEMP_ROWS_HDF5,
	GEMP_ROWS_UNKNOWN
} gemp_row_form;

/* By the ending: .tsv, .csv, .jsonl or .h5; "-", which is stdout, is TSV. Case matters. */
gemp_row_form gemp_row_form_of(const char *path);

/* Appends the first `rows` rows; GEMP_ENOMEM is the only failure. */
gemp_code gemp_rows_text(gemp_text *out, gemp_row_form form, const gemp_projected *columns, size_t count, size_t rows);

/* gemp_text_status tells whether memory sufficed. */
void gemp_tsv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_tsv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_csv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_csv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_json_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);

/* Lines of TSV, a header first, as a table with aligned columns for people; long cells are cut. */
gemp_code gemp_align_tsv(gemp_text *out, const char *tsv, size_t size);

#endif
