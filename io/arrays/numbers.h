/* numbers: a file of numbers, one array of them over all ranks: text with one number a line (plain, .gz, .zst), an array of
 * numpy (.npy), or a dataset of HDF5 ("FILE.h5:/DATASET").
 */

#ifndef GEMP_IO_ARRAYS_NUMBERS_H
#define GEMP_IO_ARRAYS_NUMBERS_H

#include "primitive/key.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GEMP_NUMBERS_CHUNK = 1 << 16 };

typedef struct gemp_number_array {
	gemp_key_kind kind;
	void *values; /* [count] owned; the ranks' follow one another */
	size_t count;
	uint64_t total; /* of all ranks */
	uint64_t bytes; /* of the file */
} gemp_number_array;

#define GEMP_NUMBERS_AUTO GEMP_KEY_KINDS

void gemp_number_array_free(gemp_number_array *numbers);

/* numbers_parts: what the files numbers*.c have in common. */

/* Local. Small numbers become 32 bits wide: kind 'i', 'u', 'f' or 'b', of 1, 2, 4 or 8 bytes. */
gemp_code gemp_number_array_widen(gemp_number_array *out, char kind, unsigned width, const void *raw, size_t count);

/* Local. From the kind that they have to another one. *at: the first that does not fit; count if all do. */
gemp_code gemp_number_array_convert(gemp_number_array *numbers, gemp_key_kind kind, size_t *at);

#endif
