/* import_sparse: a sparse matrix becomes edges, one for each stored entry, zeros too.
 *
 * The matrix is three arrays that are read side by side in batches (gemp_array_reader), so that it need not fit in memory. All
 * functions but gemp_sparse_vertices are local: one rank reads a matrix.
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

/* The arrays fit together. GEMP_EDATA with path. */
gemp_code gemp_sparse_check(const gemp_sparse *matrix);
/* The type of the column that values need. */
gemp_type gemp_sparse_type(const gemp_sparse *matrix);

/* The key of a row or column of the matrix; what it borrows stays until the next two calls. */
typedef gemp_value gemp_sparse_key(void *self, uint64_t index, bool column);

/* Local. All entries as edges of a type, with their values in a column of edges; NaN is NULL. Places are (file,
 * number of the entry). An index that the matrix does not have is GEMP_EDATA. */
gemp_code gemp_sparse_feed(gemp_sparse *matrix, gemp_builder *builder, uint32_t file, const char *type, size_t column,
                           gemp_sparse_key *key, void *self);

/* Keys of a matrix without names: 0, 1, ... of a square one, r0, r1, ... and c0, c1, ... of another. {0} with
 * `square`. */
typedef struct gemp_sparse_numbers {
	bool square;
	char text[2][24];
} gemp_sparse_numbers;

#endif
