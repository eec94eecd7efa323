/* readback: a buffer that kernels write and the host reads beside the next kernel, without copying it once more:
 * through page-locked memory on a GPU, where it lies on a CPU device.
 *
 *   kernel writes readback.buffer; has ended -> begin -> (next kernel, on another buffer, may run) -> wait: host[] is
 *   whole -> the host reads -> end -> a kernel may write again
 */
#ifndef GEMP_DEVICE_READBACK_H
#define GEMP_DEVICE_READBACK_H

#include "device/device.h"

typedef struct gemp_readback {
	gemp_buffer buffer;
	cl_mem locked;    /* on a GPU: host memory that it can write to by itself, */
	size_t room;      /* as much as was needed so far */
	char *host;       /* what was begun, at its place in the buffer; from begin to end */
	cl_event arrived; /* the last transfer; NULL: none under way */
} gemp_readback;

gemp_code gemp_readback_new(gemp_readback *out, gemp_device *device, size_t size);
void gemp_readback_free(gemp_readback *readback, gemp_device *device);

/* Of bytes [at, at + size), once the kernel that wrote them has ended. Several ranges may be begun, the last one first. */
gemp_code gemp_readback_begin(gemp_readback *readback, gemp_device *device, size_t at, size_t size);
gemp_code gemp_readback_wait(gemp_readback *readback);
gemp_code gemp_readback_end(gemp_readback *readback, gemp_device *device);

#endif
