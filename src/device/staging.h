/* staging: copies between host and device that run beside kernels, through page-locked memory.
 *
 * A readback is a buffer that kernels write and the host reads; a host mapping is the way back. On a GPU both go
 * through locked memory, from a pool that the device keeps, since locking takes milliseconds per 10 MB. On a CPU
 * device both map the buffer itself. A transfer copies arrays of numbers, which may have 64 bits on the host and have
 * 32 on the device. Local.
 *
 * A readback: a kernel writes readback.buffer and ends -> begin -> (the next kernel, on another buffer, may run) ->
 * wait: the ranges are whole, at host[] -> the host reads -> end -> a kernel may write again.
 */

#ifndef GEMP_DEVICE_STAGING_H
#define GEMP_DEVICE_STAGING_H

#include "device/device.h"

enum { GEMP_READBACK_RANGES = 2 };

typedef struct gemp_readback_range {
	size_t offset, size; /* bytes of the buffer */
} gemp_readback_range;

typedef struct gemp_readback {
	gemp_buffer buffer;
	gemp_pinned pinned;                     /* on a GPU */
	char *mapped;                           /* on a CPU device: the buffer, from begin to end */
	const char *host[GEMP_READBACK_RANGES]; /* of what was begun */
	cl_event arrived;                       /* the last transfer; NULL: none under way */
} gemp_readback;

gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size);
void gemp_readback_free(gemp_readback *readback, gemp_device *device);

/* count ranges, once the kernel that wrote them has ended. */
gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, const gemp_readback_range *ranges,
                              size_t count);
gemp_code gemp_readback_wait(gemp_readback *readback);
gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device);

/* Takes at least `size` bytes of page-locked memory, from the device's pool if possible, until gemp_pinned_release.
 * Locking takes milliseconds per 10 MB. */
gemp_code gemp_pinned_take(gemp_pinned *out, gemp_device *device, size_t size);
void gemp_pinned_release(gemp_pinned *locked, gemp_device *device);
/* Locks the pages of the caller's memory, so a GPU copies to and from them directly. If the driver refuses, mem is NULL
 * and the memory is used as before. Unregister it before the memory is freed. */
void gemp_pinned_register(gemp_pinned *out, gemp_device *device, void *memory, size_t size);
void gemp_pinned_unregister(gemp_pinned *locked);
/* Frees the pool of the device. */
void gemp_pinned_free_pool(gemp_device *device);

/* Ranges of a buffer that the host fills: through page-locked memory on a GPU, in place on a CPU device. A readback is the opposite direction.
 *
 *   begin -> the host writes at host[] -> end: kernels launched from now on find it
 */

typedef struct gemp_host_mapping {
	const gemp_buffer *buffer; /* borrowed */
	gemp_readback_range ranges[GEMP_READBACK_RANGES];
	char *host[GEMP_READBACK_RANGES]; /* of each range; NULL where it is empty */
	gemp_pinned pinned;               /* on a GPU */
	char *mapped;                     /* on a CPU device: the buffer, from begin to end */
} gemp_host_mapping;

/* count ranges, apart from one another. What was enqueued before has ended on return on a CPU device. To be freed also
 * after a failure. */
gemp_code gemp_host_mapping_begin(gemp_host_mapping *out, gemp_device *device, const gemp_buffer *buffer,
                                  const gemp_readback_range *ranges, size_t count);
gemp_code gemp_host_mapping_end(gemp_host_mapping *mapping, gemp_device *device);
/* Takes {0}. */
void gemp_host_mapping_free(gemp_host_mapping *mapping, gemp_device *device);

/* Numbers between the host, where they may have 64 bits, and a device, where they have 32.
 *
 * They go through a few blocks of page-locked memory: threads convert some blocks while others are transferred.
 */

/* An array of the host: one of them is set. */
typedef struct gemp_transfer_numbers {
	uint32_t *narrow;
	uint64_t *wide;
} gemp_transfer_numbers;

/* Copies `count` numbers to the beginning of the buffer, or from place `at` of the buffer on. Kernels that use the
 * buffer have ended. */
gemp_code gemp_transfer_upload(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from, size_t count);
gemp_code gemp_transfer_download(gemp_device *device, const gemp_buffer *from, size_t at, gemp_transfer_numbers to,
                                 size_t count);

#endif
