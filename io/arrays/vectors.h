/* vectors: a table of numbers as vectors of floats, one a row, over all ranks: a dataset of HDF5 of two dimensions
 * ("FILE.h5:/DATASET"), an array of numpy (.npy), or a table of text (.tsv, .csv, plain or .gz or .zst; another ending:
 * tabs).
 *
 * Of a text the first line is a header if one of its cells (but the first, if there are several) is no number, and the
 * first column holds keys if its cell in the first row of numbers is none. Empty cells, "nan" and "NA" are missing
 * values, NaN here. Empty lines are passed over. An infinite number is refused, and so is one that a float does not
 * reach.
 */

#ifndef GEMP_IO_ARRAYS_VECTORS_H
#define GEMP_IO_ARRAYS_VECTORS_H

#include "comm/comm.h"
#include "graph/column.h"

typedef struct gemp_vectors {
	float *x;     /* [count][dims] owned; NaN: missing */
	size_t count; /* of this rank, as gemp_comm_block(all) has them; the ranks' follow one another */
	uint32_t dims;
	uint64_t total;   /* of all ranks */
	uint64_t missing; /* values, of all ranks */
	char **names;     /* [dims] owned; without a header x1, x2, ... */
	bool named;       /* by a header */
	gemp_column keys; /* [count] texts; not loaded (gemp_column_loaded): rows have no keys */
} gemp_vectors;

void gemp_vectors_free(gemp_vectors *vectors);
/* Are there columns of all these names? */
bool gemp_vectors_have(const gemp_vectors *vectors, char *const *names, uint32_t dims);
/* Collective. Leaves the columns of these names, in their order. GEMP_EDATA for one that is not there. */
gemp_code gemp_vectors_select(gemp_vectors *vectors, const gemp_comm *comm, const char *place, char *const *names,
                              uint32_t dims);
/* Collective. Of all values in their order: the same on any number of ranks, of any form of the file. */
uint64_t gemp_vectors_hash(const gemp_vectors *vectors, const gemp_comm *comm);

/* READING: tables of text and arrays as vectors over all ranks, each rank its block of rows. */

/* Collective. key: the column of a text, by its name in the header, that holds keys; NULL: as told above. */
gemp_code gemp_vectors_read(gemp_vectors *out, const gemp_comm *comm, const char *place, const char *key);

#endif
