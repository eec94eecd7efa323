/* stop: may work go on, or has a signal or --max-time ended it? Asked between two steps, by all ranks. */
#ifndef GEMP_COMMAND_STOP_H
#define GEMP_COMMAND_STOP_H

#include "comm/comm.h"

#include <stdbool.h>

typedef struct gemp_stop {
	int signal;     /* that some rank has noted; 0: none */
	bool over;      /* the time is */
	double seconds; /* that the slowest rank took since `since` */
} gemp_stop;

/* Collective. began: gemp_now() of when the job did; most_seconds: --max-time, 0: no end. */
gemp_stop gemp_stop_ask(const gemp_comm *comm, double began, double most_seconds, double since);
bool gemp_stop_wanted(const gemp_stop *stop);
/* By what. */
const char *gemp_stop_name(const gemp_stop *stop);

#endif
