/* point_column: single values of a column of a graph file, by position (hdf5_points.h). Local. */

#ifndef GEMP_IO_GRAPH_FILE_POINT_COLUMN_H
#define GEMP_IO_GRAPH_FILE_POINT_COLUMN_H

#include "core/text.h"
#include "graph/column.h"
#include "io/hdf5/hdf5_points.h"

/* A column whose datasets are found. */
typedef struct gemp_point_column {
	char *path; /* owned */
	gemp_type type;
	enum { GEMP_POINT_NUMBERS, GEMP_POINT_FIXED, GEMP_POINT_CODES, GEMP_POINT_BYTES } form;
	const gemp_h5_array *values; /* numbers, strings of fixed length, codes, or offsets */
	const gemp_h5_array *texts;  /* categories, or bytes; else NULL */
	const gemp_h5_array *mask;   /* true: NULL; may be NULL */
	uint64_t rows;
} gemp_point_column;

/* The columns of a file that were read before. */
typedef struct gemp_point_columns {
	gemp_h5_points *points; /* borrowed */
	size_t count, capacity;
	gemp_point_column **columns; /* [count] owned */
} gemp_point_columns;

void gemp_point_columns_free(gemp_point_columns *columns);
/* Finds the column at `path`, whose values have the type. *out stays valid until the columns are freed. */
gemp_code gemp_point_columns_find(gemp_point_columns *columns, const char *path, gemp_type type,
                                  const gemp_point_column **out);
/* Reads the value of a row. A string is in a block of the file or in `buffer`, until the next read. */
gemp_code gemp_point_columns_value(gemp_point_columns *columns, const gemp_point_column *column, uint64_t row,
                                   gemp_text *buffer, gemp_value *value);

#endif
