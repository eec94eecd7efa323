/* import_sparse: a sparse matrix becomes edges, one for each stored entry, including stored zeros.
 *
 * A matrix is three arrays that are read together in batches (gemp_array_reader), so it need not fit in memory. All
 * functions are local: one rank reads a matrix. */

#ifndef GEMP_IO_IMPORT_IMPORT_SPARSE_H
#define GEMP_IO_IMPORT_IMPORT_SPARSE_H

#include "graph/column.h"
#include "io/arrays/array_file.h"
#include "partition/build/builder.h"

typedef enum gemp_sparse_layout {
	GEMP_BY_ROWS,    /* CSR: pointers delimit the rows, indices are columns */
	GEMP_BY_COLUMNS, /* CSC: pointers delimit the columns, indices are rows */
	GEMP_BY_ENTRIES, /* COO: `pointers` holds the row of each entry, `indices` its column */
} gemp_sparse_layout;

typedef struct gemp_sparse {
	const char *path, *what; /* file and group, for messages */
	gemp_sparse_layout layout;
	uint64_t rows, columns;
	gemp_array_reader pointers, indices;
	gemp_array_reader values; /* closed if there are no values; of length 1 if all entries share a value */
} gemp_sparse;

void gemp_sparse_close(gemp_sparse *matrix);

/* GEMP_EDATA: the lengths or types of the three arrays contradict each other. */
gemp_code gemp_sparse_check(const gemp_sparse *matrix);

/* How a matrix becomes edges. */
typedef struct gemp_sparse_edges {
	gemp_builder *builder;
	uint32_t file; /* the builder's number of the file */
	const char *type;
	size_t column; /* the builder's column of values */
	/* Returns the key of a row or, if `column`, of a column of the matrix. The bytes of a row's key must stay valid
	 * while the key of a column is made. */
	gemp_value (*key)(void *self, uint64_t index, bool column);
	void *self;
} gemp_sparse_edges;

/* Adds all entries as edges. A value of NaN becomes NULL. The place of an edge in messages is the file and the number
 * of the entry. GEMP_EDATA: an index is beyond the shape, or the pointers do not ascend from 0 to the number of
 * entries. */
gemp_code gemp_sparse_feed(gemp_sparse *matrix, const gemp_sparse_edges *to);

#endif
