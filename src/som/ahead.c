#include "som/ahead.h"

#include "core/timer.h"

static const double most_seconds = .1; /* of work that is enqueued */

gemp_code gemp_som_ahead_add(gemp_som_ahead *ahead, const gemp_device *device)
{
	gemp_code code = GEMP_OK;
	GEMP_CHECK(ahead->begun - ahead->over < GEMP_SOM_SLOTS && device->launched);
	GEMP_TRY(GEMP_CL(clRetainEvent(device->launched)));
	if (ahead->heard == 0)
		ahead->heard = gemp_now();
	ahead->ends[ahead->begun++ % GEMP_SOM_SLOTS] = device->launched;
done:
	return code;
}

static bool is_over(cl_event event)
{
	cl_int status = CL_QUEUED;
	return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS &&
	       status <= CL_COMPLETE;
}

bool gemp_som_ahead_due(const gemp_som_ahead *ahead)
{
	const uint32_t count = ahead->begun - ahead->over;
	if (count == 0)
		return false;
	/* of the first nobody knows how long it takes */
	return ahead->over == 0 || count == GEMP_SOM_SLOTS || count * ahead->each > most_seconds ||
	       is_over(ahead->ends[ahead->over % GEMP_SOM_SLOTS]);
}

gemp_code gemp_som_ahead_take(gemp_som_ahead *ahead)
{
	cl_event *end = &ahead->ends[ahead->over % GEMP_SOM_SLOTS];
	const gemp_code code = GEMP_CL(clWaitForEvents(1, end));
	const double now = gemp_now(), since = now - ahead->heard;
	/* the first compiles and warms up: it counts until the second is over */
	ahead->each = ahead->over < 2 ? since : .75 * ahead->each + .25 * since;
	ahead->heard = now;
	clReleaseEvent(*end);
	*end = NULL;
	ahead->over++;
	return code;
}

void gemp_som_ahead_free(gemp_som_ahead *ahead)
{
	for (uint32_t k = ahead->over; k != ahead->begun; k++)
		clReleaseEvent(ahead->ends[k % GEMP_SOM_SLOTS]);
	*ahead = (gemp_som_ahead){ 0 };
}
