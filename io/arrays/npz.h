/* npz: arrays of numpy in a zip archive, and the archive itself: its members, stored or deflated, each as a stream of
 * bytes. Sizes beyond 4 GiB too (zip64).
 *
 * The directory is read once; each member is then a stream with a file of its own, so that several are read side by
 * side. Checksums are compared at a member's end. All functions are local.
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

/* Local. Reads the directory. Not a zip archive, a cut or encrypted one is GEMP_EDATA; a missing file GEMP_ENOINPUT. */
gemp_code gemp_zip_open(gemp_zip *out, const char *path);
void gemp_zip_close(gemp_zip *zip);

typedef struct gemp_zip_stream gemp_zip_stream;

/* ARRAYS of numpy as members of a zip archive (.npz).
 *
 * Formats 1.0 to 3.0 (NEP 1). Elements are read as they lie in the file and turned to this machine's byte order. All
 * functions are local.
 */

/* What the head of a .npy file says of its array. */

/* Local. The array NAME.npy of integers, floats or booleans, of any shape (in the order it is stored); the zip
 * outlives it. One that is missing, or of another kind, is GEMP_EDATA. */
gemp_code gemp_npy_open(gemp_array_reader *out, const gemp_zip *zip, const char *name);
/* The text of a scalar or of one string; the caller frees. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name);

#endif
