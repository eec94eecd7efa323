/* sort: stable radix sort of keys, alone or with a value each.
 *
 * Least significant digits first, 8 bits at a time: each slab of the array counts its digits, the counts give every slab its
 * places in every bucket, and the slabs go there. Bits in which no two keys differ are left out.
 */

#ifndef GEMP_PRIMITIVE_SORT_H
#define GEMP_PRIMITIVE_SORT_H

#include "primitive/key.h"

typedef struct gemp_sort {
	gemp_key_kind key;
	bool descending;
	unsigned value_size; /* bytes of what goes with each key: 0 (nothing), 4 or 8 */
} gemp_sort;

/* HOST, on all threads: keys[count] and values[count] in place; values NULL without any. Takes as much memory again.
 * GEMP_ENOMEM. */
gemp_code gemp_sort_host(const gemp_sort *sort, void *keys, void *values, size_t count);

/* DEVICE. Two buffers for each array, of `count` elements. What is in the first of them is sorted, and is in the first ones
 * afterwards: the buffers may have changed places. The second ones of values are {0} without any.
 * bits: keys are below 2^bits (of unsigned ones in ascending order), so that higher digits are left out; 0: looked for,
 * which reads the keys once and waits. Does not wait otherwise. */
typedef struct gemp_sort_buffers {
	gemp_buffer keys[2], values[2];
} gemp_sort_buffers;
gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                           unsigned bits);
/* The same, where keys are known to differ in these bits of their codes and no others. */
gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing);

#endif
