/* traced: launches as the device ran them, in the host's time, for --trace; nothing without it.
 *
 * A device tells when a launch was queued, began and ended by a clock of its own. It was queued while the host was in the
 * call that queues: so each launch bounds how far the clocks are apart, and together they tell it to some microseconds.
 */
#ifndef GEMP_DEVICE_TRACED_H
#define GEMP_DEVICE_TRACED_H

#include "device/device.h"

typedef struct gemp_traced gemp_traced;

/* The last launch, which was queued between `since` (gemp_now()) and now. */
void gemp_traced_add(gemp_device *device, cl_kernel kernel, double since);
/* Waits for all, which then are spans of the trace. */
void gemp_traced_free(gemp_device *device);

#endif
