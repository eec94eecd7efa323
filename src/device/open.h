#ifndef GEMP_DEVICE_OPEN_H
#define GEMP_DEVICE_OPEN_H

#include "device/device.h"
#include "device/select.h"

#include <CL/cl.h>

/* Ranks that share a CPU device share its cores, and those that share a GPU its memory. memory_limit 0: no limit. Self-tests
 * the device (remembered in the cache). */
gemp_code gemp_device_open_pick(gemp_device **out, const gemp_device_pick *pick, size_t memory_limit);
/* Both, of the first. */
gemp_code gemp_device_open(gemp_device **out, const char *spec, int node_rank, int node_size, size_t memory_limit);
void gemp_device_close(gemp_device *device);

#endif
