/* numbers: a file of numbers as one array that is distributed over all ranks.
 *
 * The file is a text with one number on each line (plain, .gz or .zst), an array of numpy (.npy), or a dataset of HDF5
 * ("FILE.h5:/DATASET"). Each rank holds its own values[count]. The ranks' arrays in rank order are the array of the
 * file. Integers of 8 or 16 bits are widened to 32 bits, and so are floats of 16 bits. Booleans become u32. */

#ifndef GEMP_IO_ARRAYS_NUMBERS_H
#define GEMP_IO_ARRAYS_NUMBERS_H

#include "comm/comm.h"
#include "primitive/key.h"

typedef struct gemp_number_array {
	gemp_key_kind kind;
	void *values; /* [count], owned */
	size_t count;
	uint64_t total; /* number of values on all ranks */
	uint64_t bytes; /* size of the file or dataset */
} gemp_number_array;

#define GEMP_NUMBERS_AUTO GEMP_KEY_KINDS

void gemp_number_array_free(gemp_number_array *numbers);

/* Local. Converts the values to another kind. *bad becomes the index of the first value that this kind does not hold,
 * or `count` if there is none. A float that is rounded to f32 does not count as bad. */
gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *bad);

/* WRITING: a distributed array of numbers as text, .npy or a dataset of HDF5. */

/* Collective. Checks that gemp_number_array_write could write to `place`. GEMP_EUSAGE: the dataset's name is not
 * allowed. GEMP_EIO: the file cannot be written. */
gemp_code gemp_number_array_check_output(const gemp_comm *comm, const char *place);

/* Collective. The ending decides the form: .npy, or FILE.h5 or FILE.h5:/DATASET (/values by default; f32 becomes f64),
 * otherwise text. "-" is text on stdout. Text keeps all bits of floats. */
gemp_code gemp_number_array_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values,
                                  size_t count);

#endif
