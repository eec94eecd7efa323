/* split: moves the elements of an array into the order of their buckets (multisplit: Ashkiani, Davidson, Meyer and
 * Owens 2016).
 *
 * On the host and in the form by items, a split is a stable pass of primitive/radix_pass.h. In the form in groups
 * (kernels/primitive/multisplit.cl), each work-group orders a tile in local memory and writes runs of equal buckets;
 * the order within a bucket is arbitrary. begin[2^bits + 1] is the begin of each bucket. Local. */

#ifndef GEMP_PRIMITIVE_SPLIT_H
#define GEMP_PRIMITIVE_SPLIT_H

#include "primitive/key.h"

enum { GEMP_SPLIT_BITS = 11 }; /* the maximum of gemp_multisplit.bits */

/* A key's bucket is ((code(key) - min_code) >> shift) & (2^bits - 1). */
typedef struct gemp_multisplit {
	gemp_key_kind key;
	bool descending;
	unsigned value_size;  /* bytes of each key's value: 0 (no values), 4 or 8 */
	unsigned shift, bits; /* bits is from 1 to GEMP_SPLIT_BITS */
	uint64_t min_code;
	/* On a device: 8, 16, 32 or 64, the bytes of a record, which is an element that begins with its key of 4 bytes and
	 * has no other value; 0: an element is its key. */
	unsigned record;
} gemp_multisplit;

/* On the host, with all threads; stable. Copies keys[count] and values[count] (NULL without values) to out_keys and
 * out_values, which are other arrays. Bucket b becomes the elements from begin[b] to begin[b + 1] of them. begin[2^bits
 * + 1] may be NULL. GEMP_ENOMEM. */
gemp_code gemp_split_host(const gemp_multisplit *split, const void *keys, const void *values, size_t count,
                          void *out_keys, void *out_values, uint64_t *begin);

/* The same on buffers of a device, with an arbitrary order within a bucket. values and out_values are NULL if there are
 * no values; begin has 2^bits + 1 u32. Does not wait. */
gemp_code gemp_split_device(gemp_toolbox *box, const gemp_multisplit *split, const gemp_buffer *keys,
                            const gemp_buffer *values, size_t count, const gemp_buffer *out_keys,
                            const gemp_buffer *out_values, const gemp_buffer *begin);

/* The arrays of a split on a device. */
typedef struct gemp_split_arrays {
	/* the same as for gemp_split_device; records are elements of keys and out_keys */
	const gemp_buffer *keys, *values, *out_keys, *out_values;
	const gemp_buffer *column; /* NULL, or a contiguous copy of the records' keys, which is faster to count */
	size_t count;              /* number of elements */
	/* u32 [segments + 1], of which the last may be less than count; NULL: all elements are one segment */
	const gemp_buffer *segment_begin;
	size_t segments;
	const gemp_buffer *begin; /* u32 [segments * 2^bits + 1] */
} gemp_split_arrays;

/* Splits each segment separately, in the form in groups. Does not wait. */
gemp_code gemp_split_segments(gemp_toolbox *box, const gemp_multisplit *split, const gemp_split_arrays *arrays);
/* Splits all `count` elements, stably, in the form by items. Segments are ignored. Does not wait. */
gemp_code gemp_split_by_items(gemp_toolbox *box, const gemp_multisplit *split, const gemp_split_arrays *arrays);

/* The shape of a group's tile (kernels/primitive/multisplit.cl). */
typedef struct gemp_split_shape {
	size_t group;
	unsigned items, window; /* window 0: elements move by their numbers */
	unsigned registers;     /* maximum for a work-item; 0: the compiler chooses */
	bool packed;            /* a register holds two places in the tile */
} gemp_split_shape;
/* For tests and measurements: all later splits have this shape. group 0 restores the tuned shapes. */
void gemp_split_force_shape(gemp_split_shape shape);

#endif
