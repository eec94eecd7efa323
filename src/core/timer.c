#include "core/timer.h"

#include "core/trace.h"

#include <time.h>

const char *const gemp_phase_name[GEMP_PHASES] = {
	"read", "convert", "build", "upload", "prepare", "kernel", "exchange", "resolve", "attributes", "distinct",
	"download", "write",
};

double gemp_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const gemp_lane lane_of[GEMP_PHASES] = { /* else the host's */
	[GEMP_EXCHANGE] = GEMP_LANE_EXCHANGE, [GEMP_DOWNLOAD] = GEMP_LANE_OUTPUT, [GEMP_WRITE] = GEMP_LANE_OUTPUT,
};

double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since)
{
	return gemp_timers_add_less(timers, phase, since, 0);
}

double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double less)
{
	double now = gemp_now();
	timers->seconds[phase] += now - since - less;
	gemp_trace_until(gemp_phase_name[phase], lane_of[phase], since, now);
	return now;
}
