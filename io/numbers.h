/* numbers: a file of numbers, one array of them over all ranks: text with one number a line (plain, .gz, .zst), an array of
 * numpy (.npy), or a dataset of HDF5 ("FILE.h5:/DATASET").
 */
#ifndef GEMP_IO_NUMBERS_H
#define GEMP_IO_NUMBERS_H

#include "comm/comm.h"
#include "primitive/key.h"

typedef struct gemp_numbers {
	gemp_key_kind kind;
	void *values;   /* [count] owned; the ranks' follow one another */
	size_t count;
	uint64_t all;   /* of all ranks */
	uint64_t bytes; /* of the file */
} gemp_numbers;

#define GEMP_NUMBERS_AUTO GEMP_KEY_KINDS

/* Collective. kind: what they are to be; GEMP_NUMBERS_AUTO: as the file has them, and of text the first of u32, i32, u64, i64
 * and f64 that holds all. A number that is none, or that the kind does not hold, is GEMP_EDATA with its line and column, or its
 * index. Blank lines are passed over. A NaN, of any sign, is the one that C's NAN is. */
gemp_code gemp_numbers_read(gemp_numbers *out, const gemp_comm *comm, const char *place, gemp_key_kind kind);
void gemp_numbers_free(gemp_numbers *numbers);

/* Local. GEMP_EUSAGE or GEMP_EIO for a place that gemp_numbers_write could not write to. */
gemp_code gemp_numbers_may_write(const gemp_comm *comm, const char *place);

/* Collective. By the ending: .npy, FILE.h5 or FILE.h5:/DATASET (by default /values; f32 becomes f64 there), else text; "-":
 * text on stdout. Of text all bits of floats can be had back. */
gemp_code gemp_numbers_write(const gemp_comm *comm, const char *place, gemp_key_kind kind, const void *values, size_t count);

#endif
