#include "core/timer.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const gemp_phase_name[GEMP_PHASES] = {
	"start",    "read",    "convert",  "build",  "upload",   "prepare", "kernel",  "launch",
	"exchange", "resolve", "filter",   "values", "residual", "select",  "deliver", "attributes",
	"distinct", "verify",  "download", "write",  "close",    "other",
};

/* The monotonic clock, so that adjustments of the wall clock do not make times negative. */
double gemp_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const gemp_lane lane_of[GEMP_PHASES] = {
	/* all phases that are not listed: GEMP_LANE_HOST */
	[GEMP_PHASE_EXCHANGE] = GEMP_LANE_EXCHANGE,
	[GEMP_PHASE_DELIVER] = GEMP_LANE_OUTPUT,
	[GEMP_PHASE_DOWNLOAD] = GEMP_LANE_OUTPUT,
	[GEMP_PHASE_WRITE] = GEMP_LANE_OUTPUT,
};

double gemp_timers_add(gemp_timers *timers, gemp_phase phase, double since)
{
	return gemp_timers_add_less(timers, phase, since, 0);
}

/* Adds a span whose ends are in seconds; the trace has nanoseconds. */
static void gemp_trace_until(const char *name, gemp_lane lane, double since, double until)
{
	if (gemp_trace_on())
		gemp_trace_between(name, lane, llround(since * 1e9), llround(until * 1e9));
}

/* The span of the trace covers the whole time, including the seconds that are charged to other phases. */
double gemp_timers_add_less(gemp_timers *timers, gemp_phase phase, double since, double charged_elsewhere)
{
	double now = gemp_now();
	timers->seconds[phase] += now - since - charged_elsewhere;
	gemp_trace_until(gemp_phase_name[phase], lane_of[phase], since, now);
	return now;
}

double gemp_timers_sum(const gemp_timers *timers)
{
	double sum = 0;
	for (int phase = 0; phase < GEMP_PHASES; phase++)
		sum += timers->seconds[phase];
	return sum;
}

/* Kernel seconds are a device's, and some of them may lie before `since`. The phase gets no negative time. */
double gemp_timers_add_rest(gemp_timers *timers, gemp_phase phase, double since, double before)
{
	const double had = timers->seconds[phase];
	const double now = gemp_timers_add_less(timers, phase, since, gemp_timers_sum(timers) - before);
	timers->seconds[phase] = fmax(timers->seconds[phase], had);
	return now;
}

static gemp_trace trace;
static bool trace_paused;

/* Each recording begins with an empty trace. */
void gemp_trace_start(size_t max_spans)
{
	gemp_trace_free();
	trace.max_spans = max_spans;
}

bool gemp_trace_on(void)
{
	return trace.max_spans > 0 && !trace_paused;
}

void gemp_trace_pause(bool paused)
{
	trace_paused = paused;
}

/* Returns the index of a name, and adds the name if it is new. When the table is full, all new names become the last
 * one, "others". */
static uint16_t name_index(const char *name)
{
	size_t n = 0;
	while (n < trace.name_count && strncmp(trace.names[n], name, GEMP_TRACE_NAME - 1) != 0)
		n++;
	if (n < trace.name_count)
		return (uint16_t)n;
	if (n == GEMP_TRACE_NAMES)
		return GEMP_TRACE_NAMES - 1;
	strncpy(trace.names[n], n < GEMP_TRACE_NAMES - 1 ? name : "others", GEMP_TRACE_NAME - 1);
	trace.name_count++;
	return (uint16_t)n;
}

/* A span that ends before it begins, because of the error of a device's clock, becomes empty. */
void gemp_trace_between(const char *name, gemp_lane lane, int64_t begin, int64_t end)
{
	if (!gemp_trace_on())
		return;
	if (trace.count >= trace.max_spans ||
	    (trace.count == trace.capacity && GEMP_RESERVE(trace.spans, trace.capacity, trace.count + 1) != GEMP_OK)) {
		trace.dropped++;
		return;
	}
	trace.spans[trace.count++] = (gemp_span){ begin, end > begin ? end : begin, name_index(name), (uint16_t)lane };
}

void gemp_trace_add(const char *name, gemp_lane lane, double since)
{
	if (gemp_trace_on())
		gemp_trace_until(name, lane, since, gemp_now());
}

/* Dropped spans are counted, so that reports can say that the trace is incomplete. */
void gemp_trace_drop(void)
{
	trace.dropped++;
}

/* Devices beyond the last lane share that lane. */
gemp_lane gemp_trace_device(void)
{
	if (trace.devices < GEMP_TRACE_DEVICES)
		trace.devices++;
	return (gemp_lane)(GEMP_LANE_DEVICE + trace.devices - 1);
}

/* All device lanes have the same kind, so the spans of all devices are sorted together. */
static uint16_t lane_kind(const gemp_span *span)
{
	return span->lane < GEMP_LANE_DEVICE ? span->lane : GEMP_LANE_DEVICE;
}

/* Of two spans that begin at the same time, the outer one comes first. */
static int compare_spans(const void *one, const void *other)
{
	const gemp_span *a = one, *b = other;
	if (lane_kind(a) != lane_kind(b))
		return lane_kind(a) < lane_kind(b) ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end > b->end ? -1 : a->end < b->end;
}

/* Device times are mapped to the host's clock with an error of some microseconds, and the gaps between launches are
 * shorter. The overlaps that this causes are cut, because the spans of a device must be disjoint. */
static void separate_launches(gemp_span *spans, size_t count)
{
	int64_t ends[GEMP_TRACE_DEVICES] = { 0 };
	for (size_t i = 0; i < count; i++) {
		if (lane_kind(&spans[i]) != GEMP_LANE_DEVICE)
			continue;
		int64_t *last = &ends[spans[i].lane - GEMP_LANE_DEVICE];
		if (spans[i].begin < *last)
			spans[i].begin = *last;
		if (spans[i].end < spans[i].begin)
			spans[i].end = spans[i].begin;
		*last = spans[i].end;
	}
}

/* Recording stops before the spans are sorted. */
const gemp_trace *gemp_trace_end(void)
{
	trace.max_spans = 0;
	if (trace.count)
		qsort(trace.spans, trace.count, sizeof *trace.spans, compare_spans);
	separate_launches(trace.spans, trace.count);
	return &trace;
}

void gemp_trace_free(void)
{
	gemp_free(trace.spans);
	trace = (gemp_trace){ 0 };
}

/* A maximal interval of time in which some span of a lane kind runs at every moment. */
typedef struct busy_interval {
	int64_t begin, end;
} busy_interval;

/* Finds the next interval of a kind from *at on, and advances *at. Spans are sorted by begin, so each span either
 * extends the current interval or begins the next one. */
static bool next_interval(const gemp_trace *t, size_t *at, gemp_lane kind, busy_interval *out)
{
	while (*at < t->count && lane_kind(&t->spans[*at]) < kind)
		++*at;
	if (*at == t->count || lane_kind(&t->spans[*at]) != kind)
		return false;
	*out = (busy_interval){ t->spans[*at].begin, t->spans[*at].end };
	for (++*at; *at < t->count && lane_kind(&t->spans[*at]) == kind && t->spans[*at].begin <= out->end; ++*at)
		if (t->spans[*at].end > out->end)
			out->end = t->spans[*at].end;
	return true;
}

/* Intersects the intervals of the lane with those of the devices. The intersection is the time that device work
 * hides. */
gemp_lane_times gemp_trace_lane_times(const gemp_trace *t, gemp_lane lane)
{
	int64_t seconds = 0, hidden = 0;
	size_t at = 0, device_at = 0;
	busy_interval own, device;
	bool device_busy = next_interval(t, &device_at, GEMP_LANE_DEVICE, &device);
	while (next_interval(t, &at, lane, &own)) {
		seconds += own.end - own.begin;
		while (device_busy && device.begin < own.end) {
			int64_t from = device.begin > own.begin ? device.begin : own.begin;
			int64_t to = device.end < own.end ? device.end : own.end;
			hidden += to > from ? to - from : 0;
			if (device.end > own.end)
				break;
			device_busy = next_interval(t, &device_at, GEMP_LANE_DEVICE, &device);
		}
	}
	return (gemp_lane_times){ 1e-9 * (double)seconds, 1e-9 * (double)hidden };
}
