/* open: opens, tests, measures and closes devices.
 *
 * Opening computes this rank's share of memory and cores, loads the tuning, makes context and queues, and runs a
 * self-test. The test is a kernel with known results. It runs once for each device, driver and kernel source, and the
 * cache stores its success. gemp_device_rates measures bandwidth and latency for benchmarks. Local. */

#ifndef GEMP_DEVICE_OPEN_H
#define GEMP_DEVICE_OPEN_H

#include "core/memory.h"
#include "device/device.h"
#include "device/select.h"

#include <CL/cl.h>

/* Ranks that share a device share its memory, and the cores of a CPU device. memory_limit: bytes that replace this
 * rank's equal share of the memory; 0: the share. */
gemp_code gemp_device_open_pick(gemp_device **out, const gemp_device_pick *pick, size_t memory_limit);
/* Assigns devices (gemp_device_assign) and opens the first one (gemp_device_open_pick). */
gemp_code gemp_device_open(gemp_device **out, const char *spec, int node_rank, int node_size, size_t memory_limit);
void gemp_device_close(gemp_device *device);
GEMP_RELEASE(gemp_device_close, gemp_device *)

/* Measures the bandwidth and the launch latency of a device, with which benchmarks compare their figures (roofline).
 * Uses at most an eighth of the device's free memory, and at most 4 GiB. The results are the best of several tries. */

typedef struct gemp_rates {
	double copy;   /* bytes read plus bytes written per second by a copy kernel in global memory, not in caches */
	double launch; /* seconds from enqueuing an empty kernel until the host knows that it has ended */
	double empty;  /* seconds of an empty kernel by the device's clock */
} gemp_rates;

gemp_code gemp_device_rates(gemp_device *device, gemp_rates *rates);
/* Returns the rates that the last gemp_device_rates measured on this device, with as many units; zeros if the cache has
 * none. */
gemp_code gemp_device_rates_kept(const gemp_device *device, gemp_rates *rates);

#endif
