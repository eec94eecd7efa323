/* npz: arrays of numpy as members of a zip archive, stored or deflated, also beyond 4 GiB (zip64). Formats 1.0 to 3.0
 * of arrays (NEP 1).
 *
 * The directory is read once; each member then opens the file for itself, so several are read side by side. Checksums
 * are compared at a member's end. All functions are local.
 */

#ifndef GEMP_IO_ARRAYS_NPZ_H
#define GEMP_IO_ARRAYS_NPZ_H

#include "io/arrays/array_file.h"

#include <stdio.h>

typedef struct gemp_zip_member {
	char *name;      /* owned */
	unsigned method; /* 0: stored, 8: deflated */
	uint32_t crc;
	uint64_t compressed_size, size; /* bytes in the file, and of content */
	uint64_t offset;                /* of the member's own header */
} gemp_zip_member;

typedef struct gemp_zip {
	const char *path; /* borrowed */
	size_t count;
	gemp_zip_member *members; /* [count] */
} gemp_zip;

/* Reads the directory. A file that is no zip archive, or is truncated or encrypted, is GEMP_EDATA; a missing file is
 * GEMP_ENOINPUT. */
gemp_code gemp_zip_open(gemp_zip *out, const char *path);
void gemp_zip_close(gemp_zip *zip);

/* Opens the array NAME.npy of integers, floats or booleans, of any shape, whose elements come in storage order. The zip
 * outlives it. A missing array, or one of another kind, is GEMP_EDATA. */
gemp_code gemp_npy_open(gemp_array_reader *out, const gemp_zip *zip, const char *name);
/* The text of a scalar or of one string; the caller frees. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name);

#endif
