#include "core/timer.h"

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

double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since)
{
	double now = gemp_now();
	timers->seconds[phase] += now - since;
	return now;
}
