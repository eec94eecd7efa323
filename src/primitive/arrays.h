/* arrays: sort and distinct of arrays on the host. The device or the host's threads compute, whichever is expected to
 * be faster. primitive/arrays_ranks.h does the same for all ranks together. */

#ifndef GEMP_PRIMITIVE_ARRAYS_H
#define GEMP_PRIMITIVE_ARRAYS_H

#include "comm/exchange.h"
#include "core/timer.h"
#include "device/tuning.h"
#include "primitive/sort.h"

/* The place of the computation, and its costs: the phases upload, kernel and download on a device, resolve on the host,
 * and exchange. */
typedef struct gemp_arrays {
	gemp_toolbox *box; /* borrowed; NULL if there is no device */
	gemp_device *device;
	gemp_placement place;
	gemp_timers timers;
	gemp_traffic traffic;
	bool on_device; /* the last operation was computed on the device */
} gemp_arrays;

/* Local. Same results as gemp_sort_host and gemp_distinct_host. With GEMP_PLACE_AUTO the host computes if the device's
 * memory does not suffice. */
gemp_code gemp_arrays_sort(gemp_arrays *arrays, const gemp_sort *sort, void *keys, void *values, size_t count);
gemp_code gemp_arrays_distinct(gemp_arrays *arrays, gemp_key_kind kind, const void *keys, size_t count, void **out,
                               size_t *distinct);

/* Local. Should an operation on `count` elements of at most `size` bytes run on the device? It needs `buffers` such
 * arrays there, and `extra` bytes. `tuning` and `otherwise` are those of gemp_use_device. With GEMP_PLACE_AUTO the host
 * computes if the device is too small. With GEMP_PLACE_DEVICE, too many elements or bytes are a failure. */
typedef struct gemp_array_need {
	const char *operation, *tuning;
	uint32_t otherwise;
	size_t count, size, buffers, extra;
} gemp_array_need;
gemp_code gemp_arrays_place(const gemp_arrays *arrays, const gemp_array_need *need, bool *on_device);
gemp_array_need gemp_sort_need(const gemp_sort *sort, size_t count);
gemp_array_need gemp_distinct_need(gemp_key_kind kind, size_t count);

/* Local. Copies, through page-locked memory from and to a GPU. Sizes are multiples of 4 bytes. `capacity` is the size
 * of the new buffer. */
gemp_code gemp_array_upload(gemp_buffer *out, gemp_device *device, size_t capacity, size_t size, const void *from);
gemp_code gemp_array_download(gemp_device *device, const gemp_buffer *from, size_t size, void *to);

/* Local. Waits for the kernels, and adds their seconds and the seconds of building programs to the timers. */
gemp_code gemp_arrays_count_kernels(gemp_arrays *arrays);

#endif
