/* extent: how far the codes of keys reach, and in which bits they differ; on the host. */
#ifndef GEMP_PRIMITIVE_EXTENT_H
#define GEMP_PRIMITIVE_EXTENT_H

#include "primitive/key.h"

typedef struct gemp_extent {
	uint64_t least, most; /* codes; of no keys UINT64_MAX and 0 */
	uint64_t differing;   /* bits of codes in which not all keys agree */
	bool sorted;          /* no code is less than the one before it */
} gemp_extent;

/* On all threads. */
gemp_extent gemp_extent_host(const void *keys, size_t count, gemp_key_map map);

#endif
