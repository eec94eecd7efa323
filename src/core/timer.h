/* timer: seconds by phase, and the trace (--trace), a record of the times of this rank's work.
 *
 * The phases have the same names in every report. A trace is an array of spans, each in a lane. Nothing is recorded
 * before gemp_trace_start. After max_spans spans, further spans are only counted (dropped). The spans of a host lane
 * are nested or disjoint, like calls; the spans of a device are disjoint. Only one thread records. After gemp_trace_end
 * the spans are sorted by lane, with all device lanes as one, then by begin, and outer spans come first. */

#ifndef GEMP_CORE_TIMER_H
#define GEMP_CORE_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gemp_phase {
	GEMP_PHASE_START,    /* the start of the process: MPI, and the library up to the report */
	GEMP_PHASE_READ,     /* reading the graph file or text files */
	GEMP_PHASE_CONVERT,  /* parsing, relabelling, views, planning */
	GEMP_PHASE_BUILD,    /* opening devices and compiling kernels */
	GEMP_PHASE_UPLOAD,   /* transfer from host to device */
	GEMP_PHASE_PREPARE,  /* device time of preparing the inputs of counting: supports, tables, task lists */
	GEMP_PHASE_KERNEL,   /* device time of all other kernels, which may overlap with phases of the host; searches and
	                        * sums of the host */
	GEMP_PHASE_LAUNCH,   /* launches of a search after the first: time of the host in addition to the kernel's */
	GEMP_PHASE_EXCHANGE, /* MPI */
	GEMP_PHASE_RESOLVE,  /* host work on incoming partial matches, and on the rows that a round reads */
	GEMP_PHASE_FILTER,   /* testing conditions before the search */
	GEMP_PHASE_VALUES, /* conditions that are tested after the search: fetching their values, copying them to the device */
	GEMP_PHASE_RESIDUAL,   /* ... testing them */
	GEMP_PHASE_SELECT,     /* ... reading the result, and dropping the matches that fail */
	GEMP_PHASE_DELIVER,    /* passing matches from the search to the output, as far as no other phase has this time */
	GEMP_PHASE_ATTRIBUTES, /* fetching and evaluating the attribute values of the output */
	GEMP_PHASE_DISTINCT,   /* canonical forms and deduplication */
	GEMP_PHASE_VERIFY,     /* checking the result of an analysis, and counts of a device */
	GEMP_PHASE_DOWNLOAD,   /* transfer from device to host */
	GEMP_PHASE_WRITE,      /* writing results and graph files */
	GEMP_PHASE_CLOSE,      /* after the command: closing graphs and devices, freeing memory */
	GEMP_PHASE_OTHER,      /* set in reports only: the elapsed time that is in no other phase */
	GEMP_PHASES
} gemp_phase;

typedef struct gemp_timers {
	double seconds[GEMP_PHASES];
} gemp_timers;

extern const char *const gemp_phase_name[GEMP_PHASES];

double gemp_now(void); /* seconds of the monotonic clock */

/* double t = gemp_now(); ... gemp_timers_add(timers, GEMP_PHASE_READ, t); adds the time since t to the phase and to the
 * trace, and returns the current time. `less` are seconds of that time that are charged to other phases. */
double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since);
double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double less);
/* The same for work that other modules measure in part: `before` is the result of gemp_timers_sum at the time `since`,
 * and the phase gets the time since then that no other phase has got. */
double gemp_timers_sum(const gemp_timers *timers);
double gemp_timers_add_rest(gemp_timers *timers, gemp_phase phase, double since, double before);

typedef enum gemp_lane {
	GEMP_LANE_HOST,     /* work of the host */
	GEMP_LANE_EXCHANGE, /* exchange of rows and partial matches between ranks */
	GEMP_LANE_RANKS,    /* reductions and agreement, including waits for other ranks */
	GEMP_LANE_OUTPUT,   /* matches on the way from the device to the output */
	GEMP_LANE_COMPILER, /* compilations on a thread of their own */
	GEMP_LANE_DOWNLOAD, /* exchange between devices: chunks that are read from the device */
	GEMP_LANE_WIRE,     /* ... that are sent and received */
	GEMP_LANE_UPLOAD,   /* ... that are written to the device */
	GEMP_LANE_DEVICE,   /* launches of the first device; the lanes of other devices follow */
} gemp_lane;

enum { GEMP_TRACE_NAMES = 64, GEMP_TRACE_NAME = 32, GEMP_TRACE_DEVICES = 16 };

typedef struct gemp_span {
	int64_t begin, end; /* nanoseconds of the clock of gemp_now() */
	uint16_t name, lane;
} gemp_span;

typedef struct gemp_trace {
	gemp_span *spans; /* [count] */
	size_t count, capacity;
	size_t max_spans; /* 0: nothing is recorded */
	uint64_t dropped;
	unsigned devices; /* number of lanes from GEMP_LANE_DEVICE on, at most GEMP_TRACE_DEVICES */
	size_t name_count;
	char names[GEMP_TRACE_NAMES][GEMP_TRACE_NAME]; /* when the table is full, the last name is "others" */
} gemp_trace;

void gemp_trace_start(size_t max_spans);
bool gemp_trace_on(void);
void gemp_trace_pause(bool paused); /* while paused, gemp_trace_on is false and spans are not recorded */

/* Adds a span from `since`, a result of gemp_now(), until now. */
void gemp_trace_add(const char *name, gemp_lane lane, double since);

/* Adds a span in nanoseconds of the clock of gemp_now(). */
void gemp_trace_between(const char *name, gemp_lane lane, int64_t begin, int64_t end);
void gemp_trace_drop(void);        /* counts a span whose times are unknown */
gemp_lane gemp_trace_device(void); /* returns a new lane; devices beyond GEMP_TRACE_DEVICES share the last lane */

/* Ends the recording and sorts the spans. The result is valid until gemp_trace_free. */
const gemp_trace *gemp_trace_end(void);
void gemp_trace_free(void);

/* After gemp_trace_end: the seconds in which a lane is busy, and the part of them in which a device is busy, too. */
typedef struct gemp_lane_times {
	double seconds, overlapped;
} gemp_lane_times;
gemp_lane_times gemp_trace_lane_times(const gemp_trace *trace, gemp_lane lane);

#endif
