/* timer: seconds by phase, and the trace, a record of what this rank did when (--trace).
 *
 * The phases have the same names in every report. A trace is spans[count] of time in lanes. Nothing is recorded before
 * gemp_trace_start; after max_spans spans the others are only counted (dropped). Spans of a lane are nested or
 * disjoint, as calls are; those of a device are disjoint. Only one thread records. After gemp_trace_end the spans are
 * sorted by lane, all devices together, and in each lane by their begin, outer spans first.
 */

#ifndef GEMP_CORE_TIMER_H
#define GEMP_CORE_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gemp_phase {
	GEMP_PHASE_READ,       /* from the graph file or the text files */
	GEMP_PHASE_CONVERT,    /* parse, relabel, views, plan */
	GEMP_PHASE_BUILD,      /* kernels */
	GEMP_PHASE_UPLOAD,     /* host to device */
	GEMP_PHASE_PREPARE,    /* device busy, by its own clock, with what counting reads: ranks, supports, task lists */
	GEMP_PHASE_KERNEL,     /* device busy, by its own clock; may overlap with what the host does */
	GEMP_PHASE_EXCHANGE,   /* MPI */
	GEMP_PHASE_RESOLVE,    /* on the host: incoming partial matches; which rows a round reads */
	GEMP_PHASE_ATTRIBUTES, /* fetching and testing values */
	GEMP_PHASE_DISTINCT,   /* canonical form and deduplication */
	GEMP_PHASE_DOWNLOAD,   /* device to host */
	GEMP_PHASE_WRITE,      /* results, graph files */
	GEMP_PHASES
} gemp_phase;

typedef struct gemp_timers {
	double seconds[GEMP_PHASES];
} gemp_timers;

extern const char *const gemp_phase_name[GEMP_PHASES];

double gemp_now(void); /* seconds, monotonic */

/* double t = gemp_now(); ... gemp_timers_add(timers, GEMP_PHASE_READ, t); adds the time since t, and returns now. The
 * time becomes a span of the trace, too. less: seconds of it that are charged to other phases. */
double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since);
double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double less);

typedef enum gemp_lane {
	GEMP_LANE_HOST,     /* the host's own work */
	GEMP_LANE_EXCHANGE, /* rows and partial matches between ranks */
	GEMP_LANE_RANKS,    /* reductions and agreement, including the wait for other ranks */
	GEMP_LANE_OUTPUT,   /* matches from the device to their output */
	GEMP_LANE_DEVICE,   /* launches of the first device; others follow */
} gemp_lane;

enum { GEMP_TRACE_NAMES = 64, GEMP_TRACE_NAME = 32, GEMP_TRACE_DEVICES = 16 };

typedef struct gemp_span {
	int64_t begin, end; /* nanoseconds of gemp_now() */
	uint16_t name, lane;
} gemp_span;

typedef struct gemp_trace {
	gemp_span *spans; /* [count] */
	size_t count, capacity;
	size_t max_spans; /* 0: nothing is recorded */
	uint64_t dropped;
	unsigned devices; /* lanes from GEMP_LANE_DEVICE on, at most GEMP_TRACE_DEVICES */
	size_t name_count;
	char names[GEMP_TRACE_NAMES][GEMP_TRACE_NAME]; /* the last name, "others", stands for all further names */
} gemp_trace;

void gemp_trace_start(size_t max_spans);
bool gemp_trace_on(void);

/* A span from `since` (gemp_now()) until now. */
void gemp_trace_add(const char *name, gemp_lane lane, double since);

/* A span in nanoseconds of gemp_now(). */
void gemp_trace_between(const char *name, gemp_lane lane, int64_t begin, int64_t end);
void gemp_trace_drop(void);        /* counts a span whose times are unknown */
gemp_lane gemp_trace_device(void); /* a new lane; devices beyond GEMP_TRACE_DEVICES share the last */

/* Ends the recording and sorts the spans. The result is valid until gemp_trace_free. */
const gemp_trace *gemp_trace_end(void);
void gemp_trace_free(void);

/* Seconds in which a lane is busy, and those of them in which a device is busy, too. After gemp_trace_end. */
typedef struct gemp_lane_times {
	double seconds, overlapped;
} gemp_lane_times;
gemp_lane_times gemp_trace_lane_times(const gemp_trace *trace, gemp_lane lane);

#endif
