/* numbers: a file of numbers as one array over all ranks.
 *
 * The file is a text with one number on each line (plain, .gz or .zst), an array of numpy (.npy), or a dataset of HDF5
 * ("FILE.h5:/DATASET"). Each rank has its own values[count]; the ranks' arrays follow one another in the order of the
 * file. Integers of 8 or 16 bits become 32 bits wide, and so do floats of 16 bits.
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

/* Local. Converts the values to another kind. *bad becomes the index of the first value that it does not hold exactly;
 * count if there is none. */
gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *bad);

/* WRITING: an array of numbers, spread over all ranks, as text, .npy or a dataset of HDF5. */

/* Collective. GEMP_EUSAGE or GEMP_EIO for a place that gemp_number_array_write could not write to. */
gemp_code gemp_number_array_check_output(const gemp_comm *comm, const char *place);

/* Collective. The ending decides: .npy, FILE.h5 or FILE.h5:/DATASET (/values by default; f32 becomes f64), else text;
 * "-" is text on stdout. Reading the text gives the same bits of floats. */
gemp_code gemp_number_array_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values,
                                  size_t count);

#endif
