/* laps: how long the device worked on several launches, asked for once, at the end, so that nothing waits in between. */

#ifndef GEMP_DEVICE_LAUNCH_H
#define GEMP_DEVICE_LAUNCH_H

#include "device/device.h"

#include <CL/cl.h>

/* ARGUMENTS: GEMP_TRY(gemp_launch(device, kernel, global, group, GEMP_ARG(&buffer.mem), GEMP_ARG(&n), GEMP_LOCAL(256))); */
typedef struct gemp_argument {
	size_t size;
	const void *value; /* NULL: that many bytes of local memory */
} gemp_argument;
#define GEMP_ARG(pointer) ((gemp_argument){ sizeof *(pointer), (pointer) })
#define GEMP_LOCAL(bytes) ((gemp_argument){ (bytes), NULL })
/* One dimension, on device->queue; group 0: the driver chooses, else global is rounded up to a multiple of it; nothing
 * happens for global 0. Does not wait. */
#define gemp_launch(device, kernel, global, group, ...)                                             \
	gemp_launch_with((device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                 sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_with(gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                           const gemp_argument *arguments, size_t count);

/* Waits for the last launch and tells how long the device worked on it, by its own clock. */
gemp_code gemp_launch_seconds(gemp_device *device, double *seconds);
/* Has the last launch ended, well or not? */
bool gemp_launch_done(const gemp_device *device);
void gemp_launch_release(gemp_device *device);

/* The work-group for kernels with workers of `lanes` lanes (kernels/device/group.clh), of about `wanted` work-items where there is
 * a choice. Launch workers * lanes work-items. */
size_t gemp_worker_group_size(const gemp_device *device, unsigned lanes, size_t wanted);

typedef struct gemp_timings {
	cl_event *events; /* owned */
	size_t count, capacity;
} gemp_timings; /* {0}: none */

/* Takes the last launch of the device, if there is one that was not taken yet. Where it fails, that launch is over. */
gemp_code gemp_timings_add(gemp_timings *laps, gemp_device *device);
/* gemp_launch, and the launch is taken into the timings. */
#define gemp_launch_timed(laps, device, kernel, global, group, ...)                                               \
	gemp_launch_timed_with((laps), (device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_timed_with(gemp_timings *laps, gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                                 const gemp_argument *arguments, size_t count);
/* Waits for all of them, adds up their seconds by the device's clock, and begins anew. */
gemp_code gemp_timings_seconds(gemp_timings *laps, double *seconds);
/* Waits, too: what kernels read may go from the host's memory next. */
void gemp_timings_free(gemp_timings *laps);

/* traced: launches as the device ran them, in the host's time, for --trace; nothing without it.
 *
 * A device tells when a launch was queued, began and ended by a clock of its own. It was queued while the host was in the
 * call that queues: so each launch bounds how far the clocks are apart, and together they tell it to some microseconds.
 */

typedef struct gemp_launch_trace gemp_launch_trace;

/* Waits for all, which then are spans of the trace. */
void gemp_launch_trace_free(gemp_device *device);

#endif
