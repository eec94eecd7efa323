/* device_engine: computes the whole circuit on one device (kernels/euler). Edges have numbers of 32 bits. The engine on
 * the hosts (--on host) takes larger graphs. */

#ifndef GEMP_EULER_DEVICE_ENGINE_H
#define GEMP_EULER_DEVICE_ENGINE_H

#include "device/device.h"
#include "euler/euler.h"

/* Local, since a single rank has all edges. More than GEMP_EULER_DEVICE_EDGES edges are GEMP_EUSAGE. */
#define GEMP_EULER_DEVICE_EDGES ((uint64_t)0xf0000000)
gemp_code gemp_euler_on_device(gemp_euler_result *out, gemp_device *device, const gemp_euler_edges *edges,
                               const gemp_euler_options *options);

#endif
