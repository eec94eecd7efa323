/* launch: kernel launches with their arguments, their durations, and their record in the trace.
 *
 * A launch is enqueued on device->queue, without waiting. gemp_timings collects the events of several launches,
 * events[count], and reads their durations together at the end. For --trace each launch is also mapped from the
 * device's clock to the host's. The host was inside the enqueuing call when the device queued the launch, so each
 * launch gives bounds on the offset between the clocks. The intersection of all bounds is some microseconds wide. */

#ifndef GEMP_DEVICE_LAUNCH_H
#define GEMP_DEVICE_LAUNCH_H

#include "device/device.h"

#include <CL/cl.h>

/* GEMP_TRY_DONE(gemp_launch(device, kernel, global, group, GEMP_ARG(&buffer.mem), GEMP_ARG(&n), GEMP_LOCAL(256))); */
typedef struct gemp_argument {
	size_t size;
	const void *value; /* NULL: the argument is that many bytes of local memory */
} gemp_argument;
#define GEMP_ARG(pointer) ((gemp_argument){ sizeof *(pointer), (pointer) })
#define GEMP_LOCAL(bytes) ((gemp_argument){ (bytes), NULL })
/* Enqueues a kernel of one dimension on device->queue, without waiting. If group is 0, the driver chooses the group;
 * otherwise global is rounded up to a multiple of group. If global is 0, nothing is launched. */
#define gemp_launch(device, kernel, global, group, ...)                                             \
	gemp_launch_with((device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                 sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_with(gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                           const gemp_argument *arguments, size_t count);

/* Waits for the last launch. *seconds becomes its duration by the device's clock. */
gemp_code gemp_launch_seconds(gemp_device *device, double *seconds);
/* Has the last launch ended, with or without success? */
bool gemp_launch_done(const gemp_device *device);
void gemp_launch_release(gemp_device *device);

/* Returns the work-group size for kernels whose workers have `lanes` lanes (kernels/device/group.clh): about `wanted`,
 * where the device allows a choice. Launch workers * lanes work-items. */
size_t gemp_worker_group_size(const gemp_device *device, unsigned lanes, size_t wanted);

typedef struct gemp_timings {
	cl_event *events; /* owned */
	size_t count, capacity;
} gemp_timings; /* {0} has no events */

/* Adds the device's last launch unless it was added before. After a failure that launch has ended. */
gemp_code gemp_timings_add(gemp_timings *timings, gemp_device *device);
/* gemp_launch and gemp_timings_add. */
#define gemp_launch_timed(timings, device, kernel, global, group, ...)                                               \
	gemp_launch_timed_with((timings), (device), (kernel), (global), (group), (const gemp_argument[]){ __VA_ARGS__ }, \
	                       sizeof((gemp_argument[]){ __VA_ARGS__ }) / sizeof(gemp_argument))
gemp_code gemp_launch_timed_with(gemp_timings *timings, gemp_device *device, cl_kernel kernel, size_t global,
                                 size_t group, const gemp_argument *arguments, size_t count);
/* Waits for all launches. *seconds becomes the sum of their durations by the device's clock. Then the list is empty. */
gemp_code gemp_timings_seconds(gemp_timings *timings, double *seconds);
/* Waits for all launches, too, since the caller may next free memory that the kernels read. */
void gemp_timings_free(gemp_timings *timings);

typedef struct gemp_launch_trace gemp_launch_trace;

/* Waits for all launches and records them as spans of the trace. */
void gemp_launch_trace_free(gemp_device *device);

#endif
