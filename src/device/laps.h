/* laps: how long the device worked on several launches, asked for once, at the end, so that nothing waits in between. */
#ifndef GEMP_DEVICE_LAPS_H
#define GEMP_DEVICE_LAPS_H

#include "device/device.h"

typedef struct gemp_laps {
	cl_event *events; /* owned */
	size_t count, capacity;
} gemp_laps; /* {0}: none */

/* Takes the last launch of the device, if there is one that was not taken yet. Where it fails, that launch is over. */
gemp_code gemp_laps_add(gemp_laps *laps, gemp_device *device);
/* Waits for all of them, adds up their seconds by the device's clock, and begins anew. */
gemp_code gemp_laps_seconds(gemp_laps *laps, double *seconds);
/* Waits, too: what kernels read may go from the host's memory next. */
void gemp_laps_free(gemp_laps *laps);

#endif
