/* vectors: a table of numbers as vectors of floats, one for each row, distributed over all ranks. The table is a
 * dataset of HDF5 with two dimensions ("FILE.h5:/DATASET"), an array of numpy (.npy), or a text (.csv, or TSV with any
 * other ending; plain, .gz or .zst).
 *
 * The first line of a text is a header if any of its cells is not a number. If the line has several cells, the first
 * cell is ignored in this test, since it may belong to the column of keys. The first column holds keys if its cell in
 * the first row after the header is not a number. Empty cells, "nan" and "NA" are missing values, which become NaN.
 * Empty lines are skipped. Infinite numbers, and numbers beyond the range of floats, are refused. */

#ifndef GEMP_IO_ARRAYS_VECTORS_H
#define GEMP_IO_ARRAYS_VECTORS_H

#include "comm/comm.h"
#include "graph/column.h"

typedef struct gemp_vectors {
	float *x;     /* [count][dims], owned; NaN: missing value */
	size_t count; /* rows of this rank, which are its gemp_comm_block of all rows */
	uint32_t dims;
	uint64_t total;   /* rows of all ranks */
	uint64_t missing; /* number of missing values on all ranks */
	char **names;     /* [dims], owned; x1, x2, ... without a header */
	bool named;       /* the names come from a header */
	gemp_column keys; /* [count] texts; not loaded (gemp_column_loaded) if the rows have no keys */
} gemp_vectors;

void gemp_vectors_free(gemp_vectors *vectors);
/* Tests whether the vectors have a column for each of names[dims]. */
bool gemp_vectors_have(const gemp_vectors *vectors, char *const *names, uint32_t dims);
/* Collective. Keeps only the columns names[dims], in this order. GEMP_EDATA: a column is missing. */
gemp_code gemp_vectors_select(gemp_vectors *vectors, const gemp_comm *comm, const char *place, char *const *names,
                              uint32_t dims);
/* Collective. A hash of all values in their order. It depends neither on the number of ranks nor on the format of the
 * file. */
uint64_t gemp_vectors_hash(const gemp_vectors *vectors, const gemp_comm *comm);

/* Collective. Reads the table `place`. key: the name of the column of keys in a text's header; NULL: the column of keys
 * is found as described above. GEMP_EUSAGE: a key is named but the file has no such column. */
gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key);

#endif
