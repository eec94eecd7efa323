/* sort: stable radix sort of keys, alone or with a value for each key.
 *
 * Digits are sorted from the least significant on, by passes of primitive/radix_pass.h: 8 bits at a time on a device,
 * up to 11 bits on the host. On NVIDIA GPUs passes are sweeps of Onesweep (Adinets and Merrill 2022), which read the
 * keys once for each digit. Bits in which no two keys differ are skipped. Arrays on a device have at most
 * gemp_device_max() elements. Local. */

#ifndef GEMP_PRIMITIVE_SORT_H
#define GEMP_PRIMITIVE_SORT_H

#include "primitive/key.h"

typedef struct gemp_sort {
	gemp_key_kind key;
	bool descending;
	unsigned value_size; /* bytes of each key's value: 0 (no values), 4 or 8 */
} gemp_sort;

/* On the host, with all threads: sorts keys[count] and values[count] in place; values is NULL if there are none. Needs
 * as much memory again. GEMP_ENOMEM. */
gemp_code gemp_sort_host(const gemp_sort *sort, void *keys, void *values, size_t count);

/* On a device: two buffers of `count` elements for each array. keys[0] and values[0] are sorted and have the result;
 * the sort may swap the buffers of a pair. Without values both value buffers are {0}. bits: if not 0, keys are
 * unsigned, ascending and less than 2^bits, and higher digits are skipped. If 0, the keys are read once more, and the
 * call waits. Otherwise it does not wait. */
typedef struct gemp_sort_buffers {
	gemp_buffer keys[2], values[2];
} gemp_sort_buffers;
gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                           unsigned bits);
/* The same for keys whose codes differ only in the bits `differing`. */
gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing);

#endif
