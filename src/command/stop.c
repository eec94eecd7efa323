#include "command/stop.h"

#include "core/signals.h"
#include "core/timer.h"

gemp_stop gemp_stop_ask(const gemp_comm *comm, double began, double most_seconds, double since)
{
	enum { SIGNAL, OVER, MICROSECONDS, WISHES };
	uint64_t wishes[WISHES] = {
		[SIGNAL] = (uint64_t)gemp_signals_noted(),
		[OVER] = most_seconds > 0 && gemp_now() - began >= most_seconds,
		[MICROSECONDS] = (uint64_t)(1e6 * (gemp_now() - since)),
	};
	gemp_comm_max(comm, wishes, WISHES);
	return (gemp_stop){ .signal = (int)wishes[SIGNAL], .over = wishes[OVER], .seconds = (double)wishes[MICROSECONDS] / 1e6 };
}

bool gemp_stop_wanted(const gemp_stop *stop)
{
	return stop->signal || stop->over;
}

const char *gemp_stop_name(const gemp_stop *stop)
{
	return stop->signal ? gemp_signals_name(stop->signal) : "--max-time";
}
