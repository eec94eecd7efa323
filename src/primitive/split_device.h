/* split_device: a split of every segment of an array, on a device in the form in groups (kernels/multisplit.cl). */
#ifndef GEMP_PRIMITIVE_SPLIT_DEVICE_H
#define GEMP_PRIMITIVE_SPLIT_DEVICE_H

#include "primitive/split.h"
#include "primitive/toolbox_parts.h"

/* As gemp_split_device, of segments segment_begin[segments + 1] (u32); NULL: one segment of all. begin has
 * segments * 2^bits + 1 u32. */
gemp_code gemp_split_segments(gemp_toolbox *box, const gemp_split *split, const gemp_buffer *keys, const gemp_buffer *values,
                              size_t count, const gemp_buffer *segment_begin, size_t segments, const gemp_buffer *out_keys,
                              const gemp_buffer *out_values, const gemp_buffer *begin);

#endif
