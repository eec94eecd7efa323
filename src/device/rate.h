/* rate: how fast a device copies memory and launches kernels: what figures are measured against. */

#ifndef GEMP_DEVICE_RATE_H
#define GEMP_DEVICE_RATE_H

#include "device/device.h"

typedef struct gemp_rates {
	double copy;   /* bytes read and bytes written a second by a kernel, in its memory, not its caches */
	double launch; /* seconds from asking for an empty kernel until the host knows of its end */
	double empty;  /* seconds of an empty kernel by the device's clock */
} gemp_rates;

/* The best of several tries each; takes up to an eighth of the device's memory, at most 4 GiB. */
gemp_code gemp_device_rates(gemp_device *device, gemp_rates *rates);

#endif
