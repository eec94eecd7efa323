/* timer: seconds by phase. The phases have the same names in every report. */
#ifndef GEMP_CORE_TIMER_H
#define GEMP_CORE_TIMER_H

typedef enum gemp_phase {
	GEMP_READ,       /* from the graph file or the text files */
	GEMP_CONVERT,    /* parse, relabel, views, plan */
	GEMP_BUILD,      /* kernels */
	GEMP_UPLOAD,     /* host to device */
	GEMP_PREPARE,    /* device busy, by its own clock, with what counting reads: ranks, supports, task lists */
	GEMP_KERNEL,     /* device busy, by its own clock; may overlap with what the host does */
	GEMP_EXCHANGE,   /* MPI */
	GEMP_RESOLVE,    /* on the host: incoming partial matches; which rows a round reads */
	GEMP_ATTRIBUTES, /* fetching and testing values */
	GEMP_DISTINCT,   /* canonical form and deduplication */
	GEMP_DOWNLOAD,   /* device to host */
	GEMP_WRITE,      /* results, graph files */
	GEMP_PHASES
} gemp_phase;

typedef struct gemp_timers {
	double seconds[GEMP_PHASES];
} gemp_timers;

extern const char *const gemp_phase_name[GEMP_PHASES];

double gemp_now(void); /* seconds, monotonic */

/* double t = gemp_now(); ... gemp_timers_add(timers, GEMP_READ, t); adds the time since t, and returns now. It is a span of the
 * trace (core/trace.h), too. less: seconds of it that other phases have. */
double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since);
double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double less);

#endif
