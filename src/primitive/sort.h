/* sort: stable radix sort of keys, alone or with a value each.
 *
 * Least significant digits first, passes of primitive/radix_pass.h: 8 bits at a time on a device, up to 11 on the host.
 * On NVIDIA GPUs passes are sweeps of Onesweep (Adinets and Merrill 2022), which read the keys once for each digit.
 * Bits in which no two keys differ are skipped. Arrays on a device have at most GEMP_DEVICE_MAX elements. Local.
 */

#ifndef GEMP_PRIMITIVE_SORT_H
#define GEMP_PRIMITIVE_SORT_H

#include "primitive/key.h"

typedef struct gemp_sort {
	gemp_key_kind key;
	bool descending;
	unsigned value_size; /* bytes of what goes with each key: 0 (nothing), 4 or 8 */
} gemp_sort;

/* On the host, by all threads: keys[count] and values[count] in place; values NULL without any. Needs as much memory
 * again. GEMP_ENOMEM. */
gemp_code gemp_sort_host(const gemp_sort *sort, void *keys, void *values, size_t count);

/* On a device: two buffers for each array, of `count` elements. The content of keys[0] and values[0] is sorted, and the
 * result is there, too: the buffers may have been swapped. Without values both value buffers are {0}. bits: unsigned
 * keys, ascending, are below 2^bits, so higher digits are skipped; 0: unknown, so the keys are read once more, and the
 * call waits. Does not wait otherwise. */
typedef struct gemp_sort_buffers {
	gemp_buffer keys[2], values[2];
} gemp_sort_buffers;
gemp_code gemp_sort_device(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                           unsigned bits);
/* The same, where keys are known to differ in these bits of their codes and no others. */
gemp_code gemp_sort_differing(gemp_toolbox *box, const gemp_sort *sort, gemp_sort_buffers *buffers, size_t count,
                              uint64_t differing);

#endif
