/* pass: one stable pass over an array on the host: every element goes to its bucket. For sort and split.
 *
 * The array is cut into slabs, one or more a thread. Each counts its elements by bucket, then it is known where those of each
 * slab begin in each bucket, then each slab moves its elements.
 */

#ifndef GEMP_PRIMITIVE_RADIX_PASS_H
#define GEMP_PRIMITIVE_RADIX_PASS_H

#include "primitive/key.h"

typedef struct gemp_radix_host {
	gemp_key_map map;
	uint64_t min_code;
	unsigned shift, bits; /* bucket = ((code - least) >> shift) & (2^bits - 1) */
	unsigned value_size;
	size_t count;
	void *keys, *values; /* only read */
	void *out_keys, *out_values;
	/* its own */
	size_t slabs;
	size_t *places; /* [slabs][2^bits]: counts, then places */
} gemp_radix_host;

/* Room for passes of up to `bits` over `count` elements. Free also after a failure. */
gemp_code gemp_radix_host_new(gemp_radix_host *pass, unsigned bits, size_t count);
void gemp_radix_host_free(gemp_radix_host *pass);

/* Counts; begin[2^bits + 1] or NULL. */
void gemp_radix_host_count(gemp_radix_host *pass, uint64_t *begin);
/* Moves, once after each count. */
void gemp_radix_host_move(gemp_radix_host *pass);

/* radix_device: one stable pass over an array on a device: every element goes to its bucket (kernels/primitive/radix.cl). For sorts, and
 * for splits in the form by items.
 */

typedef struct gemp_radix_device {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size, bits; /* bits: 8 in groups */
	unsigned shift;            /* of this pass: bucket = ((code - least) >> shift) & (2^bits - 1) */
	uint64_t min_code;
	unsigned record;           /* by items: as of gemp_split */
	const gemp_buffer *column; /* by items: NULL, or the keys of records once more */
	gemp_buffer *totals;       /* u32 [2^bits] of the last pass */
	/* its own */
	size_t group;
	gemp_slabs slabs;
	gemp_buffer *counts;
	cl_uint write_combining; /* by items: elements leave by way of lines, past the caches */
	cl_kernel count, rows, move;
} gemp_radix_device;

gemp_code gemp_radix_device_prepare(gemp_radix_device *radix, size_t count);
/* Does not wait. Buffers of values are only looked at if there are values. */
gemp_code gemp_radix_device_pass(const gemp_radix_device *radix, const gemp_buffer *keys, const gemp_buffer *values,
                                 const gemp_buffer *out_keys, const gemp_buffer *out_values);

#endif
