#include "device/laps.h"

#include "core/memory.h"

static void forget(gemp_laps *laps)
{
	for (size_t i = 0; i < laps->count; i++)
		clReleaseEvent(laps->events[i]);
	laps->count = 0;
}

gemp_code gemp_laps_add(gemp_laps *laps, gemp_device *device)
{
	gemp_code code = GEMP_OK;
	if (!device->launched)
		return GEMP_OK;
	GEMP_TRY(GEMP_RESERVE(laps->events, laps->capacity, laps->count + 1));
	laps->events[laps->count++] = device->launched;
	device->launched = NULL;
done:
	if (code != GEMP_OK)
		clWaitForEvents(1, &device->launched);
	return code;
}

gemp_code gemp_laps_seconds(gemp_laps *laps, double *seconds)
{
	gemp_code code = GEMP_OK;
	*seconds = 0;
	if (laps->count)
		GEMP_TRY(GEMP_CL(clWaitForEvents((cl_uint)laps->count, laps->events)));
	for (size_t i = 0; i < laps->count; i++) {
		cl_ulong start = 0, end = 0;
		GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(laps->events[i], CL_PROFILING_COMMAND_START, sizeof start, &start,
		                                         NULL)));
		GEMP_TRY(GEMP_CL(clGetEventProfilingInfo(laps->events[i], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)));
		*seconds += 1e-9 * (double)(end - start);
	}
done:
	forget(laps);
	return code;
}

void gemp_laps_free(gemp_laps *laps)
{
	if (laps->count)
		clWaitForEvents((cl_uint)laps->count, laps->events);
	forget(laps);
	gemp_free(laps->events);
	*laps = (gemp_laps){ 0 };
}
