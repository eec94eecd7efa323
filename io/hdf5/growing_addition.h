/* growing_addition: rows of all ranks that are added to growing datasets (hdf5_growing.h): which full chunks they
 * complete, and the elements of each chunk on the rank that packs it. Collective unless a comment says otherwise.
 *
 * The ranks learn how many elements every rank has, and so where its elements begin (chunk_split.h). They list the full
 * chunks in the order in which rows complete them. For bytes of strings, the rank with a chunk's last byte knows the
 * row that completes it. Then elements move to the owners of their chunks and to rank 0. */

#ifndef GEMP_IO_HDF5_GROWING_ADDITION_H
#define GEMP_IO_HDF5_GROWING_ADDITION_H

#include "io/hdf5/chunk_split.h"
#include "io/hdf5/hdf5_file.h"

typedef enum gemp_growing_role {
	GEMP_GROWING_VALUES,  /* an element for each row */
	GEMP_GROWING_MASK,    /* the same, of one byte; there is no dataset if all elements are 0 */
	GEMP_GROWING_OFFSETS, /* u64: where the strings of the rows begin among the bytes, and where the last one ends */
	GEMP_GROWING_BYTES,   /* the bytes of the strings; follows its offsets */
} gemp_growing_role;

typedef struct gemp_growing_stream {
	const char *path; /* borrowed; NULL: this rank had no memory for it */
	gemp_growing_role role;
	gemp_h5_type type;
	uint64_t chunk;   /* elements of a full chunk */
	uint64_t placed;  /* elements of full chunks in the file */
	uint64_t pending; /* elements after them */
	gemp_text tail;   /* on rank 0: the pending elements */
	hid_t dataset;    /* on rank 0; invalid before the first chunk */
} gemp_growing_stream;

/* A full chunk. */
typedef struct gemp_growing_chunk {
	uint64_t rows;   /* number of rows that complete it */
	uint64_t stream; /* its index */
	uint64_t first;  /* element */
} gemp_growing_chunk;

typedef struct gemp_growing_addition {
	const gemp_comm *comm;
	gemp_growing_stream *streams; /* [count], borrowed */
	size_t count;
	const void *const *data; /* [count], borrowed, as in gemp_growing_add */
	size_t rows;
	uint64_t *begin;            /* [count][ranks + 1] as in gemp_chunk_split */
	gemp_growing_chunk *chunks; /* [chunk_count] of all ranks, in the order of the file */
	size_t chunk_count;
	int *owner;      /* [chunk_count] */
	gemp_text *rest; /* [count] elements of other ranks for the last chunk of this rank */
	gemp_text *tail; /* [count] on rank 0: the pending elements after the addition */
} gemp_growing_addition;

/* comm, streams, count, data and rows are set, the rest is 0. Sets the rest. */
gemp_code gemp_growing_addition_divide(gemp_growing_addition *a, gemp_code code);
/* Local. Frees what gemp_growing_addition_divide has set, also after a failure. */
void gemp_growing_addition_free(gemp_growing_addition *a);

/* Local. The elements of a chunk of this rank, which may be copied to `buffer` for that. */
const char *gemp_growing_elements(const gemp_growing_addition *a, const gemp_growing_chunk *chunk, char *buffer);
/* Local. After the chunks are written: streams begin after the elements of this addition. */
void gemp_growing_addition_end(gemp_growing_addition *a);

#endif
