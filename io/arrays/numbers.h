/* numbers: a file of numbers as one array over all ranks.
 *
 * The file is text with one number a line (plain, .gz or .zst), an array of numpy (.npy), or a dataset of HDF5
 * ("FILE.h5:/DATASET"). Rank r holds values[count] of its own; the ranks' arrays follow one another in the order of the
 * file. Integers of 8 or 16 bits are held in 32 bits, and a float of 16 bits as one of 32.
 */

#ifndef GEMP_IO_ARRAYS_NUMBERS_H
#define GEMP_IO_ARRAYS_NUMBERS_H

#include "comm/comm.h"
#include "primitive/key.h"

typedef struct gemp_number_array {
	gemp_key_kind kind;
	void *values; /* [count] owned */
	size_t count;
	uint64_t total; /* of all ranks */
	uint64_t bytes; /* of the file */
} gemp_number_array;

#define GEMP_NUMBERS_AUTO GEMP_KEY_KINDS

void gemp_number_array_free(gemp_number_array *numbers);

/* Local. Converts the values to another kind. *bad: the first that it does not hold exactly; count if there is none. */
gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *bad);

/* WRITING: an array of numbers, spread over all ranks, as text, .npy or a dataset of HDF5. */

/* Local. GEMP_EUSAGE or GEMP_EIO for a place that gemp_number_array_write could not write to. */
gemp_code gemp_number_array_check_output(const gemp_comm *comm, const char *place);

/* Collective. By the ending: .npy, FILE.h5 or FILE.h5:/DATASET (by default /values; f32 becomes f64 there), else text;
 * "-": text on stdout. Of text all bits of floats can be had back. */
gemp_code gemp_number_array_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values,
                                  size_t count);

#endif
