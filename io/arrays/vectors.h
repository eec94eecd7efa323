/* vectors: a table of numbers as vectors of floats, one for each row, over all ranks. The table is a dataset of HDF5 of
 * two dimensions ("FILE.h5:/DATASET"), an array of numpy (.npy), or a text (.tsv, .csv, plain or .gz or .zst; with
 * another ending it has tabs).
 *
 * The first line of a text is a header if any cell is no number; in a line of several cells the first does not count,
 * since it may be the column of keys. The first column holds keys if its cell in the first row of numbers is no number.
 * Empty cells, "nan" and "NA" are missing values, which become NaN. Empty lines are skipped. Infinite numbers, and
 * numbers beyond the range of floats, are refused.
 */

#ifndef GEMP_IO_ARRAYS_VECTORS_H
#define GEMP_IO_ARRAYS_VECTORS_H

#include "comm/comm.h"
#include "graph/column.h"

typedef struct gemp_vectors {
	float *x;     /* [count][dims] owned; NaN: missing */
	size_t count; /* rows of this rank: gemp_comm_block of all rows */
	uint32_t dims;
	uint64_t total;   /* rows of all ranks */
	uint64_t missing; /* missing values of all ranks */
	char **names;     /* [dims] owned; without a header x1, x2, ... */
	bool named;       /* by a header */
	gemp_column keys; /* [count] texts; not loaded (gemp_column_loaded) if rows have no keys */
} gemp_vectors;

void gemp_vectors_free(gemp_vectors *vectors);
/* Are there columns of all these names? */
bool gemp_vectors_have(const gemp_vectors *vectors, char *const *names, uint32_t dims);
/* Collective. Keeps only the columns of these names, in this order. A missing column is GEMP_EDATA. */
gemp_code gemp_vectors_select(gemp_vectors *vectors, const gemp_comm *comm, const char *place, char *const *names,
                              uint32_t dims);
/* Collective. A hash of all values in their order, which depends neither on the number of ranks nor on the file's
 * form. */
uint64_t gemp_vectors_hash(const gemp_vectors *vectors, const gemp_comm *comm);

/* Collective. key: the name of the column of keys in a text's header; NULL: found as described above. */
gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key);

#endif
