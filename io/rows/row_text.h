/* row_text: projected rows as text. A projection turns rows of matches into columns of values and of the user's keys.
 *
 * TSV has no quoting. Within a string, tab, line feed, carriage return and backslash are written \t, \n, \r and \\.
 * NULL is an empty cell, an edge is type:source->target, and a list is its JSON text.
 *
 * CSV is RFC 4180. NULL is an empty cell and an empty string is "". A row of a single NULL is "", too, since an empty
 * line would be no row.
 *
 * JSON lines have one object for each row. NULL and numbers that JSON cannot express are null. An edge is {"type": ...,
 * "source": ..., "target": ...}. */

#ifndef GEMP_IO_ROWS_ROW_TEXT_H
#define GEMP_IO_ROWS_ROW_TEXT_H

#include "core/text.h"
#include "graph/column.h"

/* A column of rows. The value of a vertex is its key. The value of an edge is its type, and the keys of its ends are
 * beside it. The values may be rows of another column, such as an attribute of the graph, in place of copies. */
typedef struct gemp_projected {
	const char *name; /* borrowed from the pattern */
	bool edge;
	gemp_column value;             /* [rows] values; keys of vertices; types of edges; a type alone with a dictionary */
	const gemp_column *dictionary; /* borrowed; NULL: `value` has the values */
	const uint32_t *index;         /* [rows] rows of the dictionary, or GEMP_NO_ROW for NULL; borrowed */
	gemp_column source, target;    /* [rows] of an edge: the keys of its ends, in the stored direction */
} gemp_projected;

static inline gemp_value gemp_projected_value(const gemp_projected *column, size_t row)
{
	if (!column->dictionary)
		return gemp_column_get(&column->value, row);
	if (column->index[row] == GEMP_NO_ROW)
		return (gemp_value){ .type = column->dictionary->type, .null = true };
	return gemp_column_get(column->dictionary, column->index[row]);
}

/* Frees the columns' own values. */
void gemp_projected_free(gemp_projected *columns, size_t count);

/* The text forms come first, since tables by form have entries for them only. UNKNOWN: the path has another ending. */
typedef enum gemp_row_form {
	GEMP_ROWS_TSV,
	GEMP_ROWS_CSV,
	GEMP_ROWS_JSON,
	GEMP_ROWS_HDF5,
	GEMP_ROWS_UNKNOWN
} gemp_row_form;

/* The form follows from the path's ending: .tsv, .csv, .jsonl or .h5, in lower case. "-" (stdout) is TSV. */
gemp_row_form gemp_row_form_of(const char *path);

/* The caller asks gemp_text_status for GEMP_ENOMEM. */

/* Append one cell. NULL is empty in TSV and CSV. An edge that is NULL has no ends. */
void gemp_cell_text(gemp_text *out, gemp_row_form form, const gemp_value *value);
void gemp_edge_text(gemp_text *out, gemp_row_form form, const gemp_projected *column, size_t row);

/* Append headers and rows. */
void gemp_tsv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_tsv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_csv_header(gemp_text *out, const gemp_projected *columns, size_t count);
void gemp_csv_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);
void gemp_json_row(gemp_text *out, const gemp_projected *columns, size_t count, size_t row);

/* Appends lines of TSV, of which the first is the header, as a table with aligned columns for people. Long cells are
 * cut. */
gemp_code gemp_align_tsv(gemp_text *out, const char *tsv, size_t size);

#endif
