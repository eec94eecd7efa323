/* staging: copies between host and device that run concurrently with kernels, through page-locked memory.
 *
 * A readback is a buffer that kernels write and the host reads. A host mapping is the opposite direction. On a GPU both
 * use page-locked memory from a pool of the device, since locking takes milliseconds per 10 MB. On a CPU device both
 * map the buffer itself. device/transfer.h copies large arrays. Local.
 *
 * A readback: a kernel writes readback.buffer and ends -> begin -> (the next kernel, on another buffer, may run) ->
 * wait: the ranges are complete, at host[] -> the host reads -> end -> a kernel may write again. */

#ifndef GEMP_DEVICE_STAGING_H
#define GEMP_DEVICE_STAGING_H

#include "device/device.h"

enum { GEMP_READBACK_RANGES = 2 };

typedef struct gemp_readback_range {
	size_t offset, size; /* bytes */
} gemp_readback_range;

typedef struct gemp_readback {
	gemp_buffer buffer;
	gemp_pinned pinned;                     /* the ranges, on a GPU */
	char *mapped;                           /* the whole buffer from begin to end, on a CPU device */
	const char *host[GEMP_READBACK_RANGES]; /* address of each range */
	cl_event arrived;                       /* event of the last transfer; NULL: no transfer runs */
} gemp_readback;

gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size);
void gemp_readback_free(gemp_readback *readback, gemp_device *device);

/* Begins the transfer of `count` ranges. The kernel that wrote them must have ended. */
gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges,
                              size_t count);
gemp_code gemp_readback_wait(gemp_readback *readback);
gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device);

/* Takes at least `size` bytes of page-locked memory, from the device's pool if possible, until gemp_pinned_release.
 * Locking takes milliseconds per 10 MB. */
gemp_code gemp_pinned_take(gemp_pinned *out, gemp_device *device, size_t size);
void gemp_pinned_release(gemp_pinned *locked, gemp_device *device);
/* Locks the pages of the caller's memory, so that a GPU copies to and from them directly. If the driver refuses, mem is
 * NULL, and copies work without locked pages. Unregister the memory before it is freed. */
void gemp_pinned_register(gemp_pinned *out, gemp_device *device, void *memory, size_t size);
void gemp_pinned_unregister(gemp_pinned *locked);
/* Frees the pool of the device. */
void gemp_pinned_free_pool(gemp_device *device);

/* HOST MAPPINGS. The host fills ranges of a buffer: through page-locked memory on a GPU, in place on a CPU device.
 *
 *   begin -> the host writes at host[] -> end: kernels launched later see the data */

typedef struct gemp_host_mapping {
	const gemp_buffer *buffer; /* borrowed */
	gemp_readback_range ranges[GEMP_READBACK_RANGES];
	char *host[GEMP_READBACK_RANGES]; /* address of each range; NULL for an empty range */
	gemp_pinned pinned;               /* the ranges, on a GPU */
	char *mapped;                     /* the whole buffer from begin to end, on a CPU device */
} gemp_host_mapping;

/* Begins the mapping of `count` disjoint ranges. On a CPU device all commands enqueued before have ended on return.
 * Free the mapping also after a failure. */
gemp_code gemp_host_mapping_begin(gemp_host_mapping *out, gemp_device *device, const gemp_buffer *buffer,
                                  const gemp_readback_range *ranges, size_t count);
gemp_code gemp_host_mapping_end(gemp_host_mapping *mapping, gemp_device *device);
/* {0} is allowed */
void gemp_host_mapping_free(gemp_host_mapping *mapping, gemp_device *device);

#endif
