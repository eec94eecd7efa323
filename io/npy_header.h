/* npy_header: what the head of a .npy file says of its array, and its numbers as this machine has them. */
#ifndef GEMP_IO_NPY_HEADER_H
#define GEMP_IO_NPY_HEADER_H

#include "core/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_npy_header {
	char kind;       /* i u f b: as numpy calls them; S and U: text */
	unsigned width;  /* bytes, of U characters; a float has 2, 4 or 8 */
	bool swapped;    /* big-endian numbers */
	uint64_t length; /* elements, of all dimensions */
	unsigned dimensions;
	uint64_t shape[2]; /* of the first two */
	bool fortran;    /* the first dimension's elements follow one another */
} gemp_npy_header;

enum { GEMP_NPY_START = 8, GEMP_NPY_LONGEST = 1 << 16 };

/* The bytes behind the first GEMP_NPY_START ones that hold the length of the dictionary: 2 or 4; 0: it is no .npy. */
size_t gemp_npy_length_bytes(const unsigned char start[GEMP_NPY_START]);

/* The dictionary, a text. GEMP_EDATA: what is wrong with the array, to stand behind its name ("is of type '<c16': ..."). */
gemp_code gemp_npy_parse_header(gemp_npy_header *out, const char *dictionary);

/* `count` elements as they are in the file: little-endian ones, as this program's machines have them. */
void gemp_npy_settle(const gemp_npy_header *header, void *elements, size_t count);
/* A float of 16 bits. */
float gemp_npy_half(const void *at);

#endif
