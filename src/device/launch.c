#include "device/launch.h"

#include "core/memory.h"
#include "core/timer.h"

#include <math.h>
#include <string.h>

static gemp_code kernel_failed(gemp_code code, cl_kernel kernel)
{
	char name[64] = "?";
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
	return gemp_fail_in(code, "kernel %s: ", name);
}

enum { MANY = 64 };

typedef struct traced_launch {
	cl_event event;
	int64_t before, after; /* of queueing, on the host */
	char name[GEMP_TRACE_NAME];
} traced_launch;

struct gemp_launch_trace {
	gemp_lane lane;
	traced_launch *launches; /* [count] not over when they were last looked at */
	size_t count, capacity;
	int64_t least, most; /* the host's clock less the device's, nanoseconds */
	int64_t known;       /* at this time of the host; 0: not yet */
};

static gemp_launch_trace *trace_of(gemp_device *device)
{
	if (!device->launch_trace && GEMP_NEW(device->launch_trace, 1) == GEMP_OK)
		device->launch_trace->lane = gemp_trace_device();
	return device->launch_trace;
}

/* The clocks drift apart by no more than so much of the time that passes. */
static const double drift = 1e-4;

static bool time_of(const traced_launch *one, cl_profiling_info what, int64_t *out)
{
	cl_ulong time = 0;
	bool known = clGetEventProfilingInfo(one->event, what, sizeof time, &time, NULL) == CL_SUCCESS;
	*out = (int64_t)time;
	return known;
}

static void compare_clocks(gemp_launch_trace *t, const traced_launch *one)
{
	int64_t queued, slack = (int64_t)(drift * (double)(one->before - t->known));
	if (!time_of(one, CL_PROFILING_COMMAND_QUEUED, &queued))
		return;
	int64_t least = one->before - queued, most = one->after - queued;
	if (t->known && t->least - slack <= most && t->most + slack >= least) {
		least = least > t->least - slack ? least : t->least - slack;
		most = most < t->most + slack ? most : t->most + slack;
	}
	t->least = least;
	t->most = most;
	t->known = one->before;
}

static bool is_done(const traced_launch *one)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(one->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

static void record(const gemp_launch_trace *t, const traced_launch *one)
{
	int64_t start, end, apart = t->least + (t->most - t->least) / 2;
	if (t->known && time_of(one, CL_PROFILING_COMMAND_START, &start) && time_of(one, CL_PROFILING_COMMAND_END, &end))
		gemp_trace_between(one->name, t->lane, start + apart, end + apart);
	else
		gemp_trace_drop();
}

static void collect(gemp_launch_trace *t)
{
	size_t over = 0;
	while (over < t->count && is_done(&t->launches[over]))
		compare_clocks(t, &t->launches[over++]);
	for (size_t i = 0; i < over; i++) {
		record(t, &t->launches[i]);
		clReleaseEvent(t->launches[i].event);
	}
	if (over)
		memmove(t->launches, t->launches + over, (t->count - over) * sizeof *t->launches);
	t->count -= over;
}

/* The last launch, which was queued between `since` (gemp_now()) and now. */
static void gemp_launch_trace_add(gemp_device *device, cl_kernel kernel, double since)
{
	if (!gemp_trace_on())
		return;
	double now = gemp_now();
	gemp_launch_trace *t = trace_of(device);
	if (t && t->count >= MANY)
		collect(t);
	if (!t || GEMP_RESERVE(t->launches, t->capacity, t->count + 1) != GEMP_OK ||
	    clRetainEvent(device->last_launch) != CL_SUCCESS) {
		gemp_trace_drop();
		return;
	}
	traced_launch *one = &t->launches[t->count++];
	*one = (traced_launch){ .event = device->last_launch, .before = llround(since * 1e9), .after = llround(now * 1e9) };
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof one->name - 1, one->name, NULL);
}

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
	gemp_launch_trace_add(device, kernel, began);
	return GEMP_OK;
}

void gemp_launch_release(gemp_device *device)
{
	if (device->last_launch)
		clReleaseEvent(device->last_launch);
	device->last_launch = NULL;
}

/* Adds the seconds between the beginning and the end of an event's command, which has ended. */
static gemp_code add_event_seconds(cl_event event, double *seconds)
{
	cl_ulong start = 0, end = 0;
	GEMP_PROPAGATE(GEMP_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL)));
	GEMP_PROPAGATE(GEMP_CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)));
	*seconds += 1e-9 * (double)(end - start);
	return GEMP_OK;
}

gemp_code gemp_launch_seconds(gemp_device *device, double *seconds)
{
	*seconds = 0;
	if (!device->last_launch)
		return GEMP_OK;
	GEMP_PROPAGATE(GEMP_CL(clWaitForEvents(1, &device->last_launch)));
	return add_event_seconds(device->last_launch, seconds);
}

bool gemp_launch_done(const gemp_device *device)
{
	cl_int status = CL_COMPLETE;
	if (!device->last_launch)
		return true;
	cl_int error = clGetEventInfo(device->last_launch, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
	return error != CL_SUCCESS || status <= CL_COMPLETE;
}

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

static void release_events(gemp_timings *laps)
{
	for (size_t i = 0; i < laps->count; i++)
		clReleaseEvent(laps->events[i]);
	laps->count = 0;
}

gemp_code gemp_timings_add(gemp_timings *laps, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	if (!device->last_launch)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(laps->events, laps->capacity, laps->count + 1));
	laps->events[laps->count++] = device->last_launch;
	device->last_launch = NULL;
done:
	if (code != GEMP_OK)
		clWaitForEvents(1, &device->last_launch);
	return code;
}

gemp_code gemp_launch_timed_with(gemp_timings *laps, gemp_device *device, cl_kernel kernel, size_t global, size_t group,
                                 const gemp_argument *arguments, size_t count)
{
	GEMP_PROPAGATE(gemp_launch_with(device, kernel, global, group, arguments, count));
	return gemp_timings_add(laps, device);
}

gemp_code gemp_timings_seconds(gemp_timings *laps, double *seconds)
{
	gemp_code code = GEMP_OK;
	*seconds = 0;
	if (laps->count)
		GEMP_TRY(GEMP_CL(clWaitForEvents((cl_uint)laps->count, laps->events)));
	for (size_t i = 0; i < laps->count; i++)
		GEMP_TRY(add_event_seconds(laps->events[i], seconds));
done:
	release_events(laps);
	return code;
}

void gemp_timings_free(gemp_timings *laps)
{
	if (laps->count)
		clWaitForEvents((cl_uint)laps->count, laps->events);
	release_events(laps);
	gemp_free(laps->events);
	*laps = (gemp_timings){ 0 };
}

void gemp_launch_trace_free(gemp_device *device)
{
	gemp_launch_trace *t = device->launch_trace;
	if (!t)
		return;
	clFinish(device->queue);
	collect(t);
	for (size_t i = 0; i < t->count; i++)
		clReleaseEvent(t->launches[i].event);
	gemp_free(t->launches);
	gemp_free(t);
	device->launch_trace = NULL;
}
