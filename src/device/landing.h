/* landing: ranges of a buffer that the host fills, with what comes from elsewhere: by way of page-locked memory on a GPU, where
 * they lie on a CPU device. The other way round: readback.h.
 *
 *   begin -> the host writes at host[] -> end: kernels launched from now on find it
 */
#ifndef GEMP_DEVICE_LANDING_H
#define GEMP_DEVICE_LANDING_H

#include "device/readback.h"

typedef struct gemp_landing {
	const gemp_buffer *buffer; /* borrowed */
	gemp_readback_range ranges[GEMP_READBACK_RANGES];
	char *host[GEMP_READBACK_RANGES]; /* of each range; NULL where it is empty */
	gemp_locked locked;               /* on a GPU */
	char *mapped;                     /* on a CPU device: the buffer, from begin to end */
} gemp_landing;

/* count ranges, apart from one another. What was enqueued before has ended on return on a CPU device. To be freed also after a
 * failure. */
gemp_code gemp_landing_begin(gemp_landing *out, gemp_device *device, const gemp_buffer *buffer,
                             const gemp_readback_range *ranges, size_t count);
gemp_code gemp_landing_end(gemp_landing *landing, gemp_device *device);
/* Takes one that is {0}. */
void gemp_landing_free(gemp_landing *landing, gemp_device *device);

#endif
