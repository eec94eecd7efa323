/* npz: numpy's arrays as members of a zip archive. Members are stored or deflated, and archives may exceed 4 GiB
 * (zip64). Arrays have the .npy formats 1.0 to 3.0 (NEP 1).
 *
 * The directory is read once. Each member then opens the file for itself, so several members can be read at the same
 * time. A member's checksum is compared at its end. All functions are local. */

#ifndef GEMP_IO_ARRAYS_NPZ_H
#define GEMP_IO_ARRAYS_NPZ_H

#include "io/arrays/array_file.h"

#include <stdio.h>

typedef struct gemp_zip_member {
	char *name;      /* owned */
	unsigned method; /* 0: stored, 8: deflated */
	uint32_t crc;
	uint64_t compressed_size, size; /* bytes in the archive; bytes after decompression */
	uint64_t offset;                /* offset of the member's local header */
} gemp_zip_member;

typedef struct gemp_zip {
	const char *path; /* borrowed */
	uint64_t size;    /* bytes of the file */
	size_t count;
	gemp_zip_member *members; /* [count] */
} gemp_zip;

/* Reads the directory. GEMP_EDATA: the file is no zip archive, is damaged or encrypted, or uses a compression other
 * than deflate. GEMP_ENOINPUT: the file cannot be opened. */
gemp_code gemp_zip_open(gemp_zip *out, const char *path);
void gemp_zip_close(gemp_zip *zip);

/* Opens the array NAME.npy of integers, floats or booleans. It may have any shape; its elements come in storage order.
 * The zip must live as long as the reader. GEMP_EDATA: the array is missing or of another kind. */
gemp_code gemp_npy_open(gemp_array_reader *out, const gemp_zip *zip, const char *name);
/* Reads an array that consists of a single text. The caller frees the text. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name);

#endif
