/* array_file: an array of numbers in a .npy file or in a dataset of any program's HDF5 file, read in rows.
 *
 * The one way from files of numbers to memory: numbers (sort, distinct) read arrays of one dimension, vectors (som)
 * tables of two. Each rank opens the file for itself, without MPI, and reads the rows that it wants. Elements come as
 * numpy names them (kind 'i', 'u', 'f' or 'b', and a width), in the order of this machine; rows follow one another also
 * where the file has columns one after another (Fortran order). Chunked and compressed datasets and any byte order are
 * read. All functions are local.
 */

#ifndef GEMP_IO_ARRAYS_ARRAY_FILE_H
#define GEMP_IO_ARRAYS_ARRAY_FILE_H

#include "graph/column.h"
#include "io/hdf5/hdf5_file.h"

#include <stdio.h>

typedef struct gemp_npy_header {
	char kind;       /* i u f b: as numpy calls them; S and U: text */
	unsigned width;  /* bytes, of U characters; a float has 2, 4 or 8 */
	bool swapped;    /* big-endian numbers */
	uint64_t length; /* elements, of all dimensions */
	unsigned dimensions;
	uint64_t shape[2]; /* of the first two */
	bool fortran;      /* the first dimension's elements follow one another */
} gemp_npy_header;

enum { GEMP_NPY_START = 8, GEMP_NPY_MAX_HEADER = 1 << 16 };

/* The dictionary, a text. GEMP_EDATA: what is wrong with the array, to stand behind its name ("is of type '<c16':
 * ..."). */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary);

/* Reads exactly `size` bytes of the file that `self` is, or fails with a message of its own that begins with
 * `where`. */
typedef gemp_code gemp_npy_read_bytes(void *self, const char *where, void *bytes, size_t size);
/* Local. Reads signature, length and dictionary of a .npy; *data is the number of bytes that they take. */
gemp_code gemp_npy_read_header(gemp_npy_header *out, const char *where, gemp_npy_read_bytes *read, void *self,
                               size_t *data);

/* `count` elements as they are in the file: little-endian ones, as this program's machines have them. */
void gemp_npy_to_native(const gemp_npy_header *header, void *elements, size_t count);
/* A float of 16 bits. */
float gemp_npy_half(const void *at);

/* ARRAYS IN PIECES: a long array of numbers in a file, read from its beginning to its end in pieces: the common face of
 * arrays in .npz (io/arrays/npz) and HDF5 (io/hdf5/hdf5_column), which sparse matrices are made of. */

typedef struct gemp_array_reader {
	void *self;
	uint64_t length;
	gemp_type type; /* integer, float or boolean */
	/* The next `count` elements, as integers (booleans too: 0 or 1), or of a float array as reals. The other is
	 * NULL. */
	gemp_code (*next)(void *self, size_t count, int64_t *integers, double *reals);
	void (*close)(void *self);
} gemp_array_reader;

/* An element as a value; NaN is NULL. */
static inline gemp_value gemp_array_value(gemp_type type, int64_t integer, double real)
{
	if (type == GEMP_FLOAT)
		return (gemp_value){ .type = type, .real = real, .null = real != real };
	return type == GEMP_BOOLEAN ? (gemp_value){ .type = type, .truth = integer != 0 }
	                            : (gemp_value){ .type = type, .integer = integer };
}

static inline void gemp_array_reader_close(gemp_array_reader *array)
{
	if (array->close)
		array->close(array->self);
	*array = (gemp_array_reader){ 0 };
}

typedef struct gemp_array_file {
	gemp_text where; /* "F.npy: the array", "F.h5: dataset '/x'": begins messages */
	char kind;       /* i, u, f or b */
	unsigned width;  /* bytes of an element: 1, 2, 4 or 8; of a float of HDF5 4 or 8 */
	uint64_t rows;
	uint64_t columns; /* numbers in a row: 1 for an array of one dimension */
	uint64_t bytes;   /* of all elements as stored, of a .npy with its header */
	FILE *npy;        /* NULL: HDF5 */
	gemp_npy_header header;
	size_t data;         /* .npy: where elements begin */
	bool fortran;        /* .npy: a table whose columns follow one another */
	gemp_h5 h5;          /* HDF5 */
	const char *dataset; /* borrowed from `place` */
	hid_t dataset_id;
} gemp_array_file;

/* Does the ending of `place` ("F.npy", "F.h5", "F.h5:/DATASET") say that it is such an array? */
bool gemp_array_file_is(const char *place);

/* Opens an array with 1 or 2 dimensions. With dimensions 1, a .npy of any shape is read as one sequence in storage
 * order. GEMP_EDATA if the file has no such array or no numbers; GEMP_EUSAGE if `place` names an HDF5 file without a
 * dataset. */
gemp_code gemp_array_file_open(gemp_array_file *out, const char *place, unsigned dimensions);
void gemp_array_file_close(gemp_array_file *file); /* also after a failure to open */

/* Rows [first, first + count) to elements[count * columns]. */
gemp_code gemp_array_file_read(const gemp_array_file *file, uint64_t first, size_t count, void *elements);

/* The same with each element as a float, NaN and infinities too; rounded where a float does not hold it. Bounded
 * memory. */
gemp_code gemp_array_file_read_floats(const gemp_array_file *file, uint64_t first, size_t count, float *x);

#endif
