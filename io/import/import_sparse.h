/* import_sparse: a sparse matrix becomes edges, one for each stored entry, including stored zeros.
 *
 * The matrix is three arrays that are read side by side in batches (gemp_array_reader), so it need not fit in memory.
 * All functions are local: one rank reads a matrix.
 */

#ifndef GEMP_IO_IMPORT_IMPORT_SPARSE_H
#define GEMP_IO_IMPORT_IMPORT_SPARSE_H

#include "graph/column.h"
#include "io/arrays/array_file.h"
#include "partition/build/builder.h"

typedef enum gemp_sparse_layout {
	GEMP_BY_ROWS,    /* CSR: pointers to the rows, indices are columns */
	GEMP_BY_COLUMNS, /* CSC: pointers to the columns, indices are rows */
	GEMP_BY_ENTRIES, /* COO: `pointers` are the rows of the entries, indices their columns */
} gemp_sparse_layout;

typedef struct gemp_sparse {
	const char *path, *what; /* for messages: the file, and where in it */
	gemp_sparse_layout layout;
	uint64_t rows, columns;
	gemp_array_reader pointers, indices;
	gemp_array_reader values; /* closed: no values; one for several entries: they share it */
} gemp_sparse;

void gemp_sparse_close(gemp_sparse *matrix);

/* GEMP_EDATA unless the lengths and types of the three arrays fit together. */
gemp_code gemp_sparse_check(const gemp_sparse *matrix);

/* The edges that a matrix becomes. */
typedef struct gemp_sparse_edges {
	gemp_builder *builder;
	uint32_t file; /* the builder's number of it */
	const char *type;
	size_t column; /* of the values */
	/* The key of a row or column of the matrix; its bytes stay valid for the next call. */
	gemp_value (*key)(void *self, uint64_t index, bool column);
	void *self;
} gemp_sparse_edges;

/* Adds all entries as edges; NaN becomes NULL. Places are (file, number of the entry). An index beyond the shape is
 * GEMP_EDATA. */
gemp_code gemp_sparse_feed(gemp_sparse *matrix, const gemp_sparse_edges *to);

#endif
