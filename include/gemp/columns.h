/* gemp/columns.h: tables of typed columns. Each rank has the rows of its own part of a result, such as rows of a query
 * or one row for each of its vertices. */

#ifndef GEMP_COLUMNS_H
#define GEMP_COLUMNS_H

#include <gemp/graph.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_columns gemp_columns;

/* A view of one column, which is valid until its gemp_columns is closed. Only the arrays of the column's type are set;
 * the pointers of other types are NULL. */
typedef struct gemp_column_view {
	const char *name;
	gemp_type type;
	size_t rows;
	const int64_t *integers; /* [rows] */
	const double *floats;    /* [rows]; a NULL is stored as NaN */
	const uint8_t *booleans; /* [rows], each 0 or 1 */
	/* Strings and lists are UTF-8 without a 0 byte at the end. String i is bytes[offsets[i]] to bytes[offsets[i + 1] -
	 * 1]. */
	const uint64_t *offsets; /* [rows + 1] */
	const char *bytes;
	const uint8_t *null; /* [rows], 1 if the row is NULL; the pointer is NULL if the column has no NULL */
} gemp_column_view;

/* The files to which a function writes columns with a row for each vertex. If `output` and `into` are NULL, the
 * function writes no file. */
typedef struct gemp_vertex_output {
	const char *output; /* file of rows with the key first: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout */
	/* graph file that gets the columns as attributes of the vertices; it may be the file that was read */
	const char *into;
	/* The name of the attribute in `into`, or the prefix of the names if there are several columns. NULL selects the
	 * name of the function, such as `bfs`. A name without `into` is GEMP_EUSAGE. */
	const char *column;
	const char *command; /* the command that the provenance of `into` names; NULL: "libgemp" */
} gemp_vertex_output;

/* Local. These functions return the number of columns, and the number of rows on this rank. */
GEMP_API size_t gemp_columns_count(const gemp_columns *columns);
GEMP_API size_t gemp_columns_rows(const gemp_columns *columns);
/* Local. *out becomes a view of column `index`. Returns false if there is no such column. */
GEMP_API bool gemp_columns_at(const gemp_columns *columns, size_t index, gemp_column_view *out);
/* Local. *out becomes a view of the column called `name`. Returns false if there is no such column. */
GEMP_API bool gemp_columns_find(const gemp_columns *columns, const char *name, gemp_column_view *out);
/* Local. Frees the columns; does nothing for NULL. */
GEMP_API void gemp_columns_close(gemp_columns *columns);

/* Collective. *out becomes one column `key` with the keys of this rank's vertices. Every result with a row for each
 * vertex has its rows in the same order. gemp_columns_close frees *out. */
GEMP_API gemp_code gemp_graph_keys(gemp_columns **out, gemp_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
