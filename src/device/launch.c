#include "device/launch.h"

#include "core/memory.h"
#include "core/timer.h"

#include <math.h>
#include <string.h>

/* Puts the kernel's name in front of the message, since the OpenCL error does not tell which launch failed. */
static gemp_code kernel_failed(gemp_code code, cl_kernel kernel)
{
	char name[64] = "?";
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	return gemp_fail_in(code, "kernel %s: ", name);
}

enum { MAX_PENDING = 64 };

typedef struct traced_launch {
	cl_event event;
	/* host times in nanoseconds between which the launch was queued: before and after the enqueuing call */
	int64_t queued_after, queued_before;
	char name[GEMP_TRACE_NAME];
} traced_launch;

struct gemp_launch_trace {
	gemp_lane lane;
	traced_launch *launches; /* [count] launches that had not ended when last checked */
	size_t count, capacity;
	int64_t min_offset, max_offset; /* bounds of (host clock - device clock) in nanoseconds */
	int64_t compared_at;            /* host time of the last comparison of the clocks; 0: none yet */
};

/* Made at the first launch, so runs without --trace do not make it. */
static gemp_launch_trace *trace_of(gemp_device *device)
{
	if (!device->launch_trace && GEMP_NEW(device->launch_trace, 1) == GEMP_OK)
		device->launch_trace->lane = gemp_trace_device();
	return device->launch_trace;
}

/* An upper bound on the drift of the clocks, as a fraction of the time that passes. */
static const double drift = 1e-4;

/* Reads a time of a launch in nanoseconds of the device's clock. Returns false if the driver does not know it. */
static bool event_time(const traced_launch *launch, cl_profiling_info point, int64_t *out)
{
	cl_ulong time = 0;
	bool known = clGetEventProfilingInfo(launch->event, point, sizeof time, &time, NULL) == CL_SUCCESS;
	*out = (int64_t)time;
	return known;
}

/* The offset of the clocks lies in [host time before the call - device time, host time after it - device time]. The old
 * bounds, widened by the drift since then, are intersected with these bounds. If the intersection is empty, the clock
 * was reset, and only the new bounds are used. */
static void compare_clocks(gemp_launch_trace *t, const traced_launch *launch)
{
	int64_t queued, slack = (int64_t)(drift * (double)(launch->queued_after - t->compared_at));
	if (!event_time(launch, CL_PROFILING_COMMAND_QUEUED, &queued))
		return;
	int64_t min_offset = launch->queued_after - queued, max_offset = launch->queued_before - queued;
	if (t->compared_at && t->min_offset - slack <= max_offset && t->max_offset + slack >= min_offset) {
		min_offset = min_offset > t->min_offset - slack ? min_offset : t->min_offset - slack;
		max_offset = max_offset < t->max_offset + slack ? max_offset : t->max_offset + slack;
	}
	t->min_offset = min_offset;
	t->max_offset = max_offset;
	t->compared_at = launch->queued_after;
}

/* A failed launch, whose status is negative, has ended, too. */
static bool has_ended(const traced_launch *launch)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(launch->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) ==
	           CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

/* The middle of the bounds is the estimate of the offset. */
static void record_launch(const gemp_launch_trace *t, const traced_launch *launch)
{
	int64_t start, end, offset = t->min_offset + (t->max_offset - t->min_offset) / 2;
	if (t->compared_at && event_time(launch, CL_PROFILING_COMMAND_START, &start) &&
	    event_time(launch, CL_PROFILING_COMMAND_END, &end))
		gemp_trace_between(launch->name, t->lane, start + offset, end + offset);
	else
		gemp_trace_drop();
}

/* Compares the clocks with all ended launches before it records them, so that each launch is mapped with the tightest
 * bounds. */
static void record_ended(gemp_launch_trace *t)
{
	size_t ended = 0;
	while (ended < t->count && has_ended(&t->launches[ended]))
		compare_clocks(t, &t->launches[ended++]);
	for (size_t i = 0; i < ended; i++) {
		record_launch(t, &t->launches[i]);
		clReleaseEvent(t->launches[i].event);
	}
	if (ended)
		memmove(t->launches, t->launches + ended, (t->count - ended) * sizeof *t->launches);
	t->count -= ended;
}

/* Adds the last launch, which was enqueued between `since` (gemp_now()) and now. Ended launches are recorded in batches
 * of 64, since each query of an event costs a call. */
static void trace_add(gemp_device *device, cl_kernel kernel, double since)
{
	if (!gemp_trace_on())
		return;
	double now = gemp_now();
	gemp_launch_trace *t = trace_of(device);
	if (t && t->count >= MAX_PENDING)
		record_ended(t);
	if (!t || GEMP_RESERVE(t->launches, t->capacity, t->count + 1) != GEMP_OK ||
	    clRetainEvent(device->last_launch) != CL_SUCCESS) {
		gemp_trace_drop();
		return;
	}
	traced_launch *launch = &t->launches[t->count++];
	*launch = (traced_launch){ .event = device->last_launch,
		                       .queued_after = llround(since * 1e9),
		                       .queued_before = llround(now * 1e9) };
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof launch->name - 1, launch->name, NULL);
}

/* The device keeps only the event of the last launch. gemp_timings_add takes the event for callers that need the
 * duration. */
gemp_code gemp_launch_with(gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                           const gemp_argument *arguments, size_t count)
{
	gemp_code code = GEMP_OK;
	if (global == 0)
		return GEMP_OK;
	for (size_t i = 0; i < count; i++) {
		code = GEMP_CL(clSetKernelArg(kernel, (cl_uint)i, arguments[i].size, arguments[i].value));
		if (code != GEMP_OK)
			return kernel_failed(gemp_fail_in(code, "argument %zu: ", i), kernel);
	}
	if (group)
		global = (global + group - 1) / group * group;
	gemp_launch_release(device);
	double began = gemp_now();
	code = GEMP_CL(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, group ? &group : NULL, 0, NULL,
	                                      &device->last_launch));
	if (code != GEMP_OK)
		return kernel_failed(code, kernel);
	trace_add(device, kernel, began);
	return GEMP_OK;
}

/* Releases the last event, which gemp_launch_seconds and gemp_launch_done use up to the next launch. */
void gemp_launch_release(gemp_device *device)
{
	if (device->last_launch)
		clReleaseEvent(device->last_launch);
	device->last_launch = NULL;
}

/* Adds the duration of an event's command, which has ended. */
static gemp_code add_event_seconds(cl_event event, double *seconds)
{
	cl_ulong start = 0, end = 0;
	GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)));
	GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)));
	*seconds += 1e-9 * (double)(end - start);
	return GEMP_OK;
}

/* The duration is from the device's clock, so it excludes the work of the host and of the driver. */
gemp_code gemp_launch_seconds(gemp_device *device, double *seconds)
{
	*seconds = 0;
	if (!device->last_launch)
		return GEMP_OK;
	GEMP_TRY(GEMP_CL(clWaitForEvents(1, &device->last_launch)));
	return add_event_seconds(device->last_launch, seconds);
}

/* A status that cannot be queried counts as ended. The next wait then reports the error. */
bool gemp_launch_done(const gemp_device *device)
{
	cl_int status = CL_COMPLETE;
	if (!device->last_launch)
		return true;
	cl_int error = clGetEventInfo(device->last_launch, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	return error != CL_SUCCESS || status <= CL_COMPLETE;
}

/* On NVIDIA the lanes of a worker are part of one warp and exchange values without barriers, so a group may have
 * several workers. On other devices several lanes need barriers, so a group is one worker. On a CPU device a group is
 * one work-item. */
size_t gemp_worker_group_size(const gemp_device *device, unsigned lanes, size_t wanted)
{
	if (lanes > 1 && !device->nvidia)
		return lanes;
	if (!device->gpu)
		return 1;
	size_t warp = 32;
	if (wanted > device->max_group)
		wanted = device->max_group;
	return wanted < warp ? warp : wanted / warp * warp;
}

/* Releases the events and keeps the array for later launches. */
static void release_events(gemp_timings *timings)
{
	for (size_t i = 0; i < timings->count; i++)
		clReleaseEvent(timings->events[i]);
	timings->count = 0;
}

/* If there is no memory for the event, waits for the launch, so that no launch runs unobserved. */
gemp_code gemp_timings_add(gemp_timings *timings, gemp_device *device)
{
	if (!device->last_launch)
		return GEMP_OK;
	gemp_code code = GEMP_RESERVE(timings->events, timings->capacity, timings->count + 1);
	if (code != GEMP_OK) {
		clWaitForEvents(1, &device->last_launch);
		return code;
	}
	timings->events[timings->count++] = device->last_launch;
	device->last_launch = NULL;
	return GEMP_OK;
}

/* Adds the launch at once, because the next launch on this device would replace its event. */
gemp_code gemp_launch_timed_with(gemp_timings *timings, gemp_device *device, cl_kernel kernel, size_t global,
                                 size_t group, const gemp_argument *arguments, size_t count)
{
	GEMP_TRY(gemp_launch_with(device, kernel, global, group, arguments, count));
	return gemp_timings_add(timings, device);
}

/* One wait for all events is one call of the driver instead of one for each launch. */
gemp_code gemp_timings_seconds(gemp_timings *timings, double *seconds)
{
	gemp_code code = GEMP_OK;
	*seconds = 0;
	if (timings->count)
		code = GEMP_CL(clWaitForEvents((cl_uint)timings->count, timings->events));
	for (size_t i = 0; i < timings->count; i++)
		GEMP_THEN(add_event_seconds(timings->events[i], seconds));
	release_events(timings);
	return code;
}

/* Waits, because after a failure the caller may next free memory that the kernels use. */
void gemp_timings_free(gemp_timings *timings)
{
	if (timings->count)
		clWaitForEvents((cl_uint)timings->count, timings->events);
	release_events(timings);
	gemp_free(timings->events);
	*timings = (gemp_timings){ 0 };
}

/* Waits for all launches, so that the trace has the last ones, too. */
void gemp_launch_trace_free(gemp_device *device)
{
	gemp_launch_trace *t = device->launch_trace;
	if (!t)
		return;
	clFinish(device->queue);
	record_ended(t);
	for (size_t i = 0; i < t->count; i++)
		clReleaseEvent(t->launches[i].event);
	gemp_free(t->launches);
	gemp_free(t);
	device->launch_trace = NULL;
}
