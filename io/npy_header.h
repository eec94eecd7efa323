/* npy_header: what the head of a .npy file says of its array. */
#ifndef GEMP_IO_NPY_HEADER_H
#define GEMP_IO_NPY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_npy_header {
	char kind;       /* i u f b: as numpy calls them; S and U: text */
	unsigned width;  /* bytes, of U characters */
	uint64_t length; /* elements, of all dimensions */
	unsigned dimensions;
	uint64_t shape[2]; /* of the first two */
	bool fortran;    /* the first dimension's elements follow one another */
} gemp_npy_header;

enum { GEMP_NPY_START = 8, GEMP_NPY_LONGEST = 1 << 16 };

/* The bytes behind the first GEMP_NPY_START ones that hold the length of the dictionary: 2 or 4; 0: it is no .npy. */
size_t gemp_npy_length_bytes(const unsigned char start[GEMP_NPY_START]);

/* The dictionary, a text. NULL, or what is wrong with the array: "is big-endian; ...". */
const char *gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary);

#endif
