/* split_device: splits on a device, of segments of an array in the form in groups (kernels/multisplit.cl), and of records. */
#ifndef GEMP_PRIMITIVE_SPLIT_DEVICE_H
#define GEMP_PRIMITIVE_SPLIT_DEVICE_H

#include "primitive/split.h"
#include "primitive/toolbox_parts.h"

/* What is split, and where it goes. */
typedef struct gemp_split_arrays {
	const gemp_buffer *keys, *values, *out_keys, *out_values; /* as for gemp_split_device; elements, if they are records */
	const gemp_buffer *column;        /* NULL, or the keys of records once more, one after another: they are quicker to count */
	size_t count;                     /* at most */
	const gemp_buffer *segment_begin; /* u32 [segments + 1], of which the last may be less than count; NULL: one segment of all */
	size_t segments;
	const gemp_buffer *begin;         /* u32 [segments * 2^bits + 1] */
} gemp_split_arrays;

/* A split of each segment for itself, in the form in groups. Does not wait. */
gemp_code gemp_split_segments(gemp_toolbox *box, const gemp_split *split, const gemp_split_arrays *arrays);
/* A split of all `count` elements, stable, in the form by items; segments are not looked at. Does not wait. */
gemp_code gemp_split_by_items(gemp_toolbox *box, const gemp_split *split, const gemp_split_arrays *arrays);

/* How a group goes through its tile (kernels/multisplit.cl). */
typedef struct gemp_split_shape {
	size_t group;
	unsigned items, window; /* window 0: by numbers */
	unsigned registers;     /* of a work-item at most; 0: as the compiler likes */
	bool packed;            /* two places in the tile a register */
} gemp_split_shape;
extern gemp_split_shape gemp_split_shape_forced; /* group 0: as measured; for tests and measurements */

#endif
