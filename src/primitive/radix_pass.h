/* radix_pass: one stable pass of a radix sort or split, on the host or on a device. Every element moves to its bucket.
 *
 * The array is divided into slabs, one for each thread, work-group or work-item. Each slab counts its elements by
 * bucket in places[slabs][2^bits]. Prefix sums over buckets, then slabs, turn the counts into positions. Then each slab
 * moves its elements (parallel counting sort: Zagha and Blelloch 1991). */

#ifndef GEMP_PRIMITIVE_RADIX_PASS_H
#define GEMP_PRIMITIVE_RADIX_PASS_H

#include "primitive/key.h"
#include "primitive/toolbox.h"

typedef struct gemp_radix_host {
	gemp_key_map map;
	uint64_t min_code;
	unsigned shift, bits; /* bucket = ((code - min_code) >> shift) & (2^bits - 1) */
	unsigned value_size;
	size_t count;
	void *keys, *values; /* not changed */
	void *out_keys, *out_values;
	/* the members below are set by the module */
	size_t slabs;
	size_t *places; /* [slabs][2^bits]: counts, then positions */
} gemp_radix_host;

/* Allocates for passes of up to `bits` bits over `count` elements. Free the pass also after a failure. */
gemp_code gemp_radix_host_new(gemp_radix_host *pass, unsigned bits, size_t count);
void gemp_radix_host_free(gemp_radix_host *pass);

/* Counts the elements. begin[2^bits + 1] becomes the begin of each bucket; begin may be NULL. */
void gemp_radix_host_count(gemp_radix_host *pass, uint64_t *begin);
/* Moves the elements. Call it once after each count. */
void gemp_radix_host_move(gemp_radix_host *pass);

/* The pass on a device (kernels/primitive/radix.cl): for sorts in both forms, and for splits in the form by items. */

typedef struct gemp_radix_device {
	gemp_toolbox *box;
	gemp_key_map map;
	unsigned value_size, bits; /* in the form in groups, bits is 8 */
	unsigned shift;            /* shift of this pass: bucket = ((code - min_code) >> shift) & (2^bits - 1) */
	uint64_t min_code;
	unsigned record;           /* by items: the same as in gemp_multisplit */
	const gemp_buffer *column; /* by items: a copy of the keys of records, or NULL */
	gemp_buffer *totals;       /* u32 [2^bits] number of elements of each bucket in the last pass */
	/* the members below are set by the module */
	size_t group;
	gemp_slabs slabs;
	gemp_buffer *counts;
	cl_uint write_combining; /* by items: collects elements in cache lines and writes them with non-temporal stores */
	cl_kernel count, rows, move;
} gemp_radix_device;

gemp_code gemp_radix_device_prepare(gemp_radix_device *radix, size_t count);
/* Enqueues the pass without waiting. Without values, buffers of values are ignored. */
gemp_code gemp_radix_device_pass(const gemp_radix_device *radix, const gemp_buffer *keys, const gemp_buffer *values,
                                 const gemp_buffer *out_keys, const gemp_buffer *out_values);

/* Exclusive prefix sums of an array on a device, in three launches: sums of slabs, scan of the sums, scan of each slab
 * (Sengupta, Harris, Zhang and Owens 2007). Short arrays take one launch of one group. */

/* numbers[count] have number_size bytes and sums[count + 1] have sum_size bytes, each 4 or 8. The last sum is the
 * total. With equal sizes, the buffers may be the same. Sums are modulo 2^32 or 2^64. Does not wait. */
gemp_code gemp_scan_device(gemp_toolbox *box, const gemp_buffer *numbers, unsigned number_size, const gemp_buffer *sums,
                           unsigned sum_size, size_t count);

/* Replaces the flags[count] (u32, 0 or 1; the buffer has count + 1 elements) by their exclusive prefix sums: element i
 * was flagged if flags[i + 1] != flags[i], and flags[i] is its place. *selected becomes the number of flagged elements.
 * Waits for the kernels. */
gemp_code gemp_compact_places(gemp_toolbox *box, const gemp_buffer *flags, size_t count, size_t *selected);

#endif
