/* launch: kernel launches with their arguments, their durations, and their record in the trace.
 *
 * A launch is enqueued on device->queue and not awaited. gemp_timings collects the events of several launches,
 * events[count], and reads their durations once, at the end, so nothing waits in between. For --trace each launch is
 * also mapped from the device's clock to the host's: the host was inside the enqueuing call when the device queued the
 * launch, so each launch bounds the offset between the clocks, and the intersection of the bounds is some microseconds
 * wide.
 */

#ifndef GEMP_DEVICE_LAUNCH_H
#define GEMP_DEVICE_LAUNCH_H

#include "device/device.h"

#include <CL/cl.h>

/* GEMP_TRY_DONE(gemp_launch(device, kernel, global, group, GEMP_ARG(&buffer.mem), GEMP_ARG(&n), GEMP_LOCAL(256))); */
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

/* Waits for the last launch; *seconds: its duration by the device's clock. */
gemp_code gemp_launch_seconds(gemp_device *device, double *seconds);
/* Has the last launch ended, with or without success? */
bool gemp_launch_done(const gemp_device *device);
void gemp_launch_release(gemp_device *device);

/* The work-group for kernels with workers of `lanes` lanes (kernels/device/group.clh), of about `wanted` work-items
 * where there is a choice. Launch workers * lanes work-items. */
size_t gemp_worker_group_size(const gemp_device *device, unsigned lanes, size_t wanted);

typedef struct gemp_timings {
	cl_event *events; /* owned */
	size_t count, capacity;
} gemp_timings; /* {0}: none */

/* Adds the device's last launch, if it was not added yet. After a failure that launch has ended. */
gemp_code gemp_timings_add(gemp_timings *timings, gemp_device *device);
/* gemp_launch and gemp_timings_add. */
#define gemp_launch_timed(timings, device, kernel, global, group, ...)                                               \
	gemp_launch_timed_with((timings), (device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_timed_with(gemp_timings *timings, gemp_device *device, cl_kernel kernel, size_t global,
                                 size_t group, const gemp_argument *arguments, size_t count);
/* Waits for all launches; *seconds: the sum of their durations by the device's clock. The list is empty afterwards. */
gemp_code gemp_timings_seconds(gemp_timings *timings, double *seconds);
/* Waits, too, since the caller may free memory that the kernels read. */
void gemp_timings_free(gemp_timings *timings);

typedef struct gemp_launch_trace gemp_launch_trace;

/* Waits for all launches and records them as spans of the trace. */
void gemp_launch_trace_free(gemp_device *device);

#endif
