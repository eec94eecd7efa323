/* compact: launches of simple kernels over the elements of an array, and the selection of elements by flags, on one
 * device. A kernel of such a launch steps through its elements: for (i = get_global_id(0); i < count; i +=
 * get_global_size(0)). Local. */

#ifndef GEMP_PRIMITIVE_COMPACT_H
#define GEMP_PRIMITIVE_COMPACT_H

#include "primitive/toolbox.h"

/* Launches a kernel over `count` elements. With count 0 nothing is launched, and the kernel is not built. */
#define gemp_tool_each(box, file, name, count, ...)                                             \
	gemp_tool_each_list((box), (file), (name), (count), (const gemp_argument[]){ __VA_ARGS__ }, \
	                    sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_tool_each_list(gemp_toolbox *box, const char *file, const char *name, size_t count,
                              const gemp_argument *arguments, size_t argument_count);

/* Replaces the flags[count] (u32, 0 or 1; the buffer has count + 1 elements) by their exclusive prefix sums: element i
 * was flagged if flags[i + 1] != flags[i], and flags[i] is its place. *selected becomes the number of flagged elements.
 * Waits for the kernels. */
gemp_code gemp_compact_places(gemp_toolbox *box, const gemp_buffer *flags, size_t count, size_t *selected);

/* Replaces a buffer, which may be {0}, if it has fewer than `size` bytes. Its content is then lost. */
gemp_code gemp_buffer_reserve(gemp_buffer *buffer, gemp_device *device, size_t size);

#endif
