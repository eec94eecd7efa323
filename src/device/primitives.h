/* primitives: scan and compact on device arrays. Sizes in elements. All on device->queue; those that give a number to the
 * host wait for it. */
#ifndef GEMP_DEVICE_PRIMITIVES_H
#define GEMP_DEVICE_PRIMITIVES_H

#include "device/device.h"

typedef struct gemp_primitives gemp_primitives; /* kernels and scratch of one device */
gemp_code gemp_primitives_new(gemp_primitives **out, gemp_device *device);
void gemp_primitives_free(gemp_primitives *primitives);
/* Work-items in a group and most groups of a launch, instead of those chosen for the device; for tests. */
void gemp_primitives_shape(gemp_primitives *primitives, size_t group, size_t groups);

/* Exclusive prefix sum of u32 in place; *total (may be NULL) is the sum mod 2^32. */
gemp_code gemp_scan_u32(gemp_primitives *primitives, const gemp_buffer *values, size_t count, uint32_t *total);

/* Indices of the set bits of a bitmap of `count` bits (u32 words, lowest bit first), plus `base`, ascending, into `out`
 * (u32, room for as many as are set); *found receives their number. */
gemp_code gemp_compact_bits(gemp_primitives *primitives, const gemp_buffer *bitmap, size_t count, uint32_t base,
                            const gemp_buffer *out, size_t *found);
/* Number of set bits. */
gemp_code gemp_count_bits(gemp_primitives *primitives, const gemp_buffer *bitmap, size_t count, size_t *found);

#endif
