/* gemp/columns.h: typed columns of this rank: rows of a query, or one row for each vertex of this rank. */

#ifndef GEMP_COLUMNS_H
#define GEMP_COLUMNS_H

#include <gemp/graph.h>
#include <gemp/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gemp_columns gemp_columns;

/* One column, borrowed from the gemp_columns: valid until that is closed. Only the arrays of its type are there. */
typedef struct gemp_column_view {
	const char *name;
	gemp_type type;
	size_t rows;
	const int64_t *integers; /* [rows] */
	const double *floats;    /* [rows]; NULL is NaN */
	const uint8_t *booleans; /* [rows] 0 or 1 */
	const uint64_t
		*offsets; /* [rows + 1]: string i is bytes[offsets[i]] to bytes[offsets[i + 1] - 1], UTF-8, not ended by 0 */
	const char *bytes;
	const uint8_t *null; /* [rows] 1: NULL. The pointer is NULL where no row is */
} gemp_column_view;

/* Files that get columns with a row for each vertex. All NULL: none. */
typedef struct gemp_vertex_output {
	const char *output; /* rows, key first: .tsv, .csv, .jsonl, .h5, or - for TSV on stdout */
	const char *into;   /* a graph file with the columns as attributes; it may be the graph's own */
	const char
		*column; /* into: the attribute's name, or its beginning where there are several; NULL: the function's name */
	const char *command; /* into: for the file's provenance; NULL: "libgemp" */
} gemp_vertex_output;

/* Local. */
GEMP_API size_t gemp_columns_count(const gemp_columns *columns);
GEMP_API size_t gemp_columns_rows(const gemp_columns *columns);
/* Local. Column `index`; false past the last. */
GEMP_API bool gemp_columns_at(const gemp_columns *columns, size_t index, gemp_column_view *out);
/* Local. The column of that name; false if there is none. */
GEMP_API bool gemp_columns_find(const gemp_columns *columns, const char *name, gemp_column_view *out);
/* Local. Takes NULL. */
GEMP_API void gemp_columns_close(gemp_columns *columns);

/* Collective. The keys of this rank's vertices, in the order of rows of every result with a row for each vertex: column `key`. */
GEMP_API gemp_code gemp_graph_keys(gemp_columns **out, gemp_graph *graph);

#ifdef __cplusplus
}
#endif

#endif
