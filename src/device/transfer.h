/* transfer: copies of large arrays of 32-bit numbers between the host and a device, in a pipeline.
 *
 * An array is cut into pieces of gemp_limits.transfer_chunk bytes. A few pieces of page-locked memory are in use at a
 * time: threads write some of them, or read them, while others are transferred. A GPU copies page-locked memory at the
 * rate of the bus; other memory passes through the driver's own, small buffers. The numbers of a piece come from an
 * array, or from a function that makes them, so no array of the host needs to hold them all. Local. */

#ifndef GEMP_DEVICE_TRANSFER_H
#define GEMP_DEVICE_TRANSFER_H

#include "device/device.h"

/* An array of the host. Exactly one pointer is set. Numbers of 64 bits are narrowed or widened on the way. */
typedef struct gemp_transfer_numbers {
	uint32_t *narrow;
	uint64_t *wide;
} gemp_transfer_numbers;

/* Copies `count` numbers to the begin of the buffer, or from position `at` of the buffer on. Kernels that use the
 * buffer must have ended. */
gemp_code gemp_transfer_upload(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from, size_t count);
gemp_code gemp_transfer_download(gemp_device *device, const gemp_buffer *from, size_t at, gemp_transfer_numbers to,
                                 size_t count);

/* An upload that calls arrived(self, n) whenever the numbers below n are in the buffer, so that kernels work on them
 * while others are copied. The last call has n = count, unless a call has failed, whose code is returned. */
typedef gemp_code gemp_transfer_arrived(void *self, size_t count);
gemp_code gemp_transfer_upload_watched(gemp_device *device, const gemp_buffer *to, gemp_transfer_numbers from,
                                       size_t count, gemp_transfer_arrived *arrived, void *self);

/* Writes the numbers [begin, end) of an array to `to`. Several threads call it at the same time, for different
 * ranges. */
typedef void gemp_transfer_source(const void *self, uint32_t *to, size_t begin, size_t end);

/* Copies the `count` numbers that `source` makes to the begin of the buffer. Kernels that use the buffer must have
 * ended. */
gemp_code gemp_transfer_make(gemp_device *device, const gemp_buffer *to, gemp_transfer_source *source, const void *self,
                             size_t count);

/* Makes a buffer with the contents of the caller's memory. A CPU device uses the memory itself, which must outlive the
 * buffer, and a GPU gets a copy. The memory of gemp_buffer_load_shared is shared by ranks, and kernels only read it; on
 * a CPU device only `own` bytes of it count for this rank. */
gemp_code gemp_buffer_load(gemp_buffer *out, gemp_device *device, size_t size, void *memory);
gemp_code gemp_buffer_load_shared(gemp_buffer *out, gemp_device *device, size_t size, void *memory, size_t own);

#endif
