/* npy: arrays of numpy, as files of their own (.npy) and as members of a zip archive (.npz).
 *
 * Formats 1.0 to 3.0 (NEP 1). Elements are read as they lie in the file and turned to this machine's byte order. All
 * functions are local.
 */

#ifndef GEMP_IO_ARRAYS_NPY_H
#define GEMP_IO_ARRAYS_NPY_H

#include "io/file/array.h"
#include "io/file/zip.h"

#include <stdio.h>

/* What the head of a .npy file says of its array. */

typedef struct gemp_npy_header {
	char kind;       /* i u f b: as numpy calls them; S and U: text */
	unsigned width;  /* bytes, of U characters; a float has 2, 4 or 8 */
	bool swapped;    /* big-endian numbers */
	uint64_t length; /* elements, of all dimensions */
	unsigned dimensions;
	uint64_t shape[2]; /* of the first two */
	bool fortran;      /* the first dimension's elements follow one another */
} gemp_npy_header;

enum { GEMP_NPY_START = 8, GEMP_NPY_MAX_HEADER = 1 << 16 };

/* The dictionary, a text. GEMP_EDATA: what is wrong with the array, to stand behind its name ("is of type '<c16': ..."). */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary);

/* `count` elements as they are in the file: little-endian ones, as this program's machines have them. */
void gemp_npy_to_native(const gemp_npy_header *header, void *elements, size_t count);
/* A float of 16 bits. */
float gemp_npy_half(const void *at);

/* Local. The array NAME.npy of integers, floats or booleans, of any shape (in the order it is stored); the zip
 * outlives it. One that is missing, or of another kind, is GEMP_EDATA. */
gemp_code gemp_npy_open(gemp_array *out, const gemp_zip *zip, const char *name);
/* The text of a scalar or of one string; the caller frees. */
gemp_code gemp_npy_text(char **out, const gemp_zip *zip, const char *name);

/* Local. The head of a .npy file of numbers, which begins at the file's position; where the elements begin in *data, the
 * size of the file in *bytes. `where` begins messages ("F.npy: the array"). GEMP_EDATA where the file is not as long as its
 * header says. */
gemp_code gemp_npy_read_file_header(gemp_npy_header *out, FILE *file, const char *where, size_t *data, uint64_t *bytes);

#endif
