/* array: a long array of numbers in a file, read from its beginning to its end in pieces: the common face of
 * arrays in .npz (io/arrays/npy) and HDF5 (io/hdf5/hdf5_column), which sparse matrices are made of. */

#ifndef GEMP_IO_FILE_ARRAY_H
#define GEMP_IO_FILE_ARRAY_H

#include "graph/column.h"

typedef struct gemp_array {
	void *self;
	uint64_t length;
	gemp_type type; /* integer, float or boolean */
	/* The next `count` elements, as integers (booleans too: 0 or 1), or of a float array as reals. The other is NULL. */
	gemp_code (*next)(void *self, size_t count, int64_t *integers, double *reals);
	void (*close)(void *self);
} gemp_array;

static inline void gemp_array_close(gemp_array *array)
{
	if (array->close)
		array->close(array->self);
	*array = (gemp_array){ 0 };
}

#endif
