#include "device/traced.h"

#include "core/memory.h"
#include "core/trace.h"

#include <math.h>
#include <string.h>

enum { MANY = 64 };

/* The clocks drift apart by no more than so much of the time that passes. */
static const double drift = 1e-4;

typedef struct launch {
	cl_event event;
	int64_t before, after; /* of queueing, on the host */
	char name[GEMP_TRACE_NAME];
} launch;

struct gemp_traced {
	gemp_lane lane;
	launch *launches;      /* [count] not over when they were last looked at */
	size_t count, capacity;
	int64_t least, most;   /* the host's clock less the device's, nanoseconds */
	int64_t known;         /* at this time of the host; 0: not yet */
};

static gemp_traced *traced_of(gemp_device *device)
{
	if (!device->traced && GEMP_NEW(device->traced, 1) == GEMP_OK)
		device->traced->lane = gemp_trace_device();
	return device->traced;
}

static bool time_of(const launch *one, cl_profiling_info what, int64_t *out)
{
	cl_ulong time = 0;
	bool known = clGetEventProfilingInfo(one->event, what, sizeof time, &time, NULL) == CL_SUCCESS;
	*out = (int64_t)time;
	return known;
}

static void compare_clocks(gemp_traced *t, const launch *one)
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

static bool is_over(const launch *one)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(one->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

static void record(const gemp_traced *t, const launch *one)
{
	int64_t start, end, apart = t->least + (t->most - t->least) / 2;
	if (t->known && time_of(one, CL_PROFILING_COMMAND_START, &start) && time_of(one, CL_PROFILING_COMMAND_END, &end))
		gemp_trace_between(one->name, t->lane, start + apart, end + apart);
	else
		gemp_trace_drop();
}

static void collect(gemp_traced *t)
{
	size_t over = 0;
	while (over < t->count && is_over(&t->launches[over]))
		compare_clocks(t, &t->launches[over++]);
	for (size_t i = 0; i < over; i++) {
		record(t, &t->launches[i]);
		clReleaseEvent(t->launches[i].event);
	}
	if (over)
		memmove(t->launches, t->launches + over, (t->count - over) * sizeof *t->launches);
	t->count -= over;
}

void gemp_traced_add(gemp_device *device, cl_kernel kernel, double since)
{
	if (!gemp_trace_on())
		return;
	double now = gemp_now();
	gemp_traced *t = traced_of(device);
	if (t && t->count >= MANY)
		collect(t);
	if (!t || GEMP_RESERVE(t->launches, t->capacity, t->count + 1) != GEMP_OK ||
	    clRetainEvent(device->launched) != CL_SUCCESS) {
		gemp_trace_drop();
		return;
	}
	launch *one = &t->launches[t->count++];
	*one = (launch){ .event = device->launched, .before = llround(since * 1e9), .after = llround(now * 1e9) };
	clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof one->name - 1, one->name, NULL);
}

void gemp_traced_free(gemp_device *device)
{
	gemp_traced *t = device->traced;
	if (!t)
		return;
	clFinish(device->queue);
	collect(t);
	for (size_t i = 0; i < t->count; i++)
		clReleaseEvent(t->launches[i].event);
	gemp_free(t->launches);
	gemp_free(t);
	device->traced = NULL;
}
