/* timer: seconds by phase. The phases have the same names in every report. */

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

/* double t = gemp_now(); ... gemp_timers_add(timers, GEMP_PHASE_READ, t); adds the time since t, and returns now. It is a span of the
 * trace (core/timer.h), too. less: seconds of it that other phases have. */
double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since);
double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double less);

/* trace: what this rank did when, as spans of time in lanes, for a picture of the run (--trace).
 *
 * Nothing is recorded before gemp_trace_start, and then no more spans than it was told; later ones are counted. Spans of a lane
 * are nested or apart, as calls are; those of a device are apart. One thread records.
 */

typedef enum gemp_lane {
	GEMP_LANE_HOST,     /* the host's own work */
	GEMP_LANE_EXCHANGE, /* rows and partial matches between ranks */
	GEMP_LANE_RANKS,    /* sums and agreement, and with them waiting for other ranks */
	GEMP_LANE_OUTPUT,   /* matches from the device to where they go */
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
	char names[GEMP_TRACE_NAMES][GEMP_TRACE_NAME]; /* the last one stands for all that find no place */
} gemp_trace;

void gemp_trace_start(size_t most);
bool gemp_trace_on(void);

/* From `since` until now, and from `since` until `until`: seconds of gemp_now(). */
void gemp_trace_add(const char *name, gemp_lane lane, double since);

/* In nanoseconds of it. */
void gemp_trace_between(const char *name, gemp_lane lane, int64_t begin, int64_t end);
void gemp_trace_drop(void);        /* a span that could not be had */
gemp_lane gemp_trace_device(void); /* a lane of its own, for the first GEMP_TRACE_DEVICES */

/* Ends the recording. Spans are in order of lanes (those of devices together), and in these of their beginning, outer ones
 * first. Until gemp_trace_free. */
const gemp_trace *gemp_trace_end(void);
void gemp_trace_free(void);

/* Seconds in which something is under way in a lane; and those of them in which a device works. After gemp_trace_end. */
typedef struct gemp_lane_times {
	double seconds, overlapped;
} gemp_lane_times;
gemp_lane_times gemp_trace_lane_times(const gemp_trace *trace, gemp_lane lane);

#endif
