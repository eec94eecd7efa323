/* gemp/columns.h: typed columns of this rank: rows of a query, or one row for each vertex of this rank. */

#ifndef GEMP_COLUMNS_H
#define GEMP_COLUMNS_H

#include <gemp/graph.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_columns gemp_columns;

/* A view of one column, valid until its gemp_columns is closed. Arrays of other types than the column's are NULL. */
typedef struct gemp_column_view {
	const char *name;
	gemp_type type;
	size_t rows;
	const int64_t *integers; /* [rows] */
	const double *floats;    /* [rows]; a NULL is NaN */
	const uint8_t *booleans; /* [rows] 0 or 1 */
	/* Strings and lists: string i is bytes[offsets[i]] to bytes[offsets[i + 1] - 1], in UTF-8, not ended by 0. */
	const uint64_t *offsets; /* [rows + 1] */
	const char *bytes;
	const uint8_t *null; /* [rows] 1: the row is NULL. The pointer is NULL if no row is */
} gemp_column_view;

/* Files for columns with a row for each vertex. All members NULL: no file. */
typedef struct gemp_vertex_output {
	const char *output; /* rows, key first: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout */
	const char *into;   /* a graph file with the columns as attributes; it may be the graph's own */
	/* into: name of the attribute, or the prefix of the names if there are several columns; NULL: the function's name,
	 * as `bfs` */
	const char *column;
	const char *command; /* into: for the file's provenance; NULL: "libgemp" */
} gemp_vertex_output;

/* Local. The number of columns; and of rows on this rank. */
GEMP_API size_t gemp_columns_count(const gemp_columns *columns);
GEMP_API size_t gemp_columns_rows(const gemp_columns *columns);
/* Local. *out becomes a view of column `index`; false if there are fewer columns. */
GEMP_API bool gemp_columns_at(const gemp_columns *columns, size_t index, gemp_column_view *out);
/* Local. *out becomes a view of the column of that name; false if there is none. */
GEMP_API bool gemp_columns_find(const gemp_columns *columns, const char *name, gemp_column_view *out);
/* Local. Frees the columns; does nothing for NULL. */
GEMP_API void gemp_columns_close(gemp_columns *columns);

/* Collective. Column `key`: the keys of this rank's vertices, in the row order of every result with a row for each
 * vertex. gemp_columns_close frees *out. */
GEMP_API gemp_code gemp_graph_keys(gemp_columns **out, gemp_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
