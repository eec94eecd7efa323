/* radix_device: one stable pass over an array on a device: every element goes to its bucket (kernels/radix.cl). For sorts, and
 * for splits in the form by items.
 */
#ifndef GEMP_PRIMITIVE_RADIX_DEVICE_H
#define GEMP_PRIMITIVE_RADIX_DEVICE_H

#include "primitive/toolbox_parts.h"

typedef struct gemp_radix {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size, bits; /* bits: 8 in groups */
	unsigned shift;            /* of this pass: bucket = ((code - least) >> shift) & (2^bits - 1) */
	uint64_t least;
	unsigned record;           /* by items: as of gemp_split */
	const gemp_buffer *column; /* by items: NULL, or the keys of records once more */
	gemp_buffer *totals;       /* u32 [2^bits] of the last pass */
	/* its own */
	size_t group;
	gemp_slabs slabs;
	gemp_buffer *counts;
	cl_uint lines;             /* by items: elements leave by way of lines, past the caches */
	cl_kernel count, rows, move;
} gemp_radix;

gemp_code gemp_radix_prepare(gemp_radix *radix, size_t count);
/* Does not wait. Buffers of values are only looked at if there are values. */
gemp_code gemp_radix_pass(const gemp_radix *radix, const gemp_buffer *keys, const gemp_buffer *values,
                          const gemp_buffer *out_keys, const gemp_buffer *out_values);

#endif
