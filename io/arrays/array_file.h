/* array_file: reads an array of numbers by rows, from a .npy file or from a dataset of any program's HDF5 file.
 *
 * `numbers` (sort, distinct) reads arrays of one dimension through this module, and `vectors` (som) reads tables of two
 * dimensions. Each rank opens the file for itself, without MPI, and reads the rows
 * that it needs. Elements have numpy's kind ('i', 'u', 'f' or 'b') and width, and this machine's byte order. Rows are
 * contiguous in memory, even if the file stores column after column (Fortran order). Chunked and compressed datasets
 * and any byte order are read. All functions are local. */

#ifndef GEMP_IO_ARRAYS_ARRAY_FILE_H
#define GEMP_IO_ARRAYS_ARRAY_FILE_H

#include "graph/column.h"
#include "io/hdf5/hdf5_file.h"

#include <stdio.h>

typedef struct gemp_npy_header {
	char kind;       /* 'i', 'u', 'f' or 'b', as in numpy; 'S' or 'U' for texts */
	unsigned width;  /* bytes of an element (2, 4 or 8 for a float); characters for 'U' */
	bool swapped;    /* the numbers are big-endian */
	uint64_t length; /* number of elements: the product of all dimensions */
	unsigned dimensions;
	uint64_t shape[2]; /* sizes of the first two dimensions */
	bool fortran;      /* Fortran order: the first index varies fastest */
} gemp_npy_header;

enum { GEMP_NPY_START = 8, GEMP_NPY_MAX_HEADER = 1 << 16 };

/* Parses the dictionary in the header of a .npy. GEMP_EDATA: the array cannot be read; the message is the end of a
 * sentence that begins with the array's name ("is of type '<c16': ..."). */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary);

/* Reads exactly `size` bytes from the file `self`. After a failure the message begins with `where`. */
typedef gemp_code gemp_npy_read_bytes(void *self, const char *where, void *bytes, size_t size);
/* Local. Reads signature, length and dictionary of a .npy. *data becomes the number of bytes of all three. */
gemp_code gemp_npy_read_header(gemp_npy_header *out, const char *where, gemp_npy_read_bytes *read, void *self,
                               size_t *data);

/* Converts `count` elements of the file to little-endian, the byte order of all machines that this program supports. */
void gemp_npy_to_native(const gemp_npy_header *header, void *elements, size_t count);
/* Converts a half float, a float of 16 bits. */
float gemp_npy_half(const void *at);

/* ARRAY READERS: an interface to a long array of numbers that is read from its beginning to its end in batches. Arrays
 * in .npz (io/arrays/npz) and in HDF5 (io/hdf5/hdf5_column) implement it, and the readers of sparse matrices use it. */

typedef struct gemp_array_reader {
	void *self;
	uint64_t length;
	gemp_type type; /* integer, float or boolean */
	/* Reads the next `count` elements: into `reals` for an array of floats, otherwise into `integers` (a boolean is 0
	 * or 1). The unused pointer is NULL. */
	gemp_code (*next)(void *self, size_t count, int64_t *integers, double *reals);
	void (*close)(void *self);
} gemp_array_reader;

/* Converts an element to a value. NaN becomes NULL. */
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
	gemp_text where; /* beginning of messages: "F.npy: the array" or "F.h5: dataset '/x'" */
	char kind;       /* 'i', 'u', 'f' or 'b' */
	unsigned width;  /* bytes of an element in memory: 1, 2, 4 or 8; 4 or 8 for a float of HDF5 */
	uint64_t rows;
	uint64_t columns; /* elements of a row; 1 for an array of one dimension */
	uint64_t bytes;   /* HDF5: bytes of all elements in the file's type, before compression; .npy: size of the file */
	FILE *npy;        /* NULL for HDF5 */
	gemp_npy_header header;
	size_t data;         /* .npy: offset of the elements in the file */
	bool fortran;        /* .npy: a table that stores column after column */
	gemp_h5 h5;          /* HDF5: the open file */
	const char *dataset; /* HDF5: its name, borrowed from `place` */
	hid_t dataset_id;
} gemp_array_file;

/* Tests by the ending whether `place` ("F.npy", "F.h5", "F.h5:/DATASET") is an array file. */
bool gemp_array_file_is(const char *place);

/* Opens an array with 1 or 2 dimensions. With 1 dimension, a .npy of any shape is read as one sequence in storage
 * order. GEMP_EDATA: the file has no such array, or no numbers. GEMP_EUSAGE: `place` names an HDF5 file without a
 * dataset. */
gemp_code gemp_array_file_open(gemp_array_file *out, const char *place, unsigned dimensions);
void gemp_array_file_close(gemp_array_file *file); /* must also be called after a failure to open */

/* Reads rows [first, first + count) into elements[count * columns]. */
gemp_code gemp_array_file_read(const gemp_array_file *file, uint64_t first, size_t count, void *elements);

/* Reads rows [first, first + count) into x[count * columns] as floats, including NaN and infinities. A number that a
 * float does not hold exactly is rounded. Elements of other types pass through a batch of at most 64 MiB or one row. In
 * Fortran order, a column of the batch needs memory, too; for 32-bit floats the batch is all rows. */
gemp_code gemp_array_file_read_floats(const gemp_array_file *file, uint64_t first, size_t count, float *x);

#endif
