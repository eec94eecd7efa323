/* rate: the bandwidth and the launch latency of a device, to which benchmarks compare their figures (roofline).
 * Takes up to an eighth of the device's free memory, at most 4 GiB, and returns the best of several tries each.
 */

#ifndef GEMP_DEVICE_RATE_H
#define GEMP_DEVICE_RATE_H

#include "device/device.h"

typedef struct gemp_rates {
	double copy;   /* bytes read plus bytes written per second by a copy kernel, in memory, not in caches */
	double launch; /* seconds from enqueuing an empty kernel until the host knows that it ended */
	double empty;  /* seconds of an empty kernel by the device's clock */
} gemp_rates;

gemp_code gemp_device_rates(gemp_device *device, gemp_rates *rates);

#endif
