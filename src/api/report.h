/* report: the members of a gemp_report (gemp/report.h), and the functions with which the library fills it. A report has
 * the fields of a JSON object, and text for people. Only rank 0 has them. On other ranks the members json and people
 * are NULL, which all functions here and jansson's setters accept and ignore. */

#ifndef GEMP_API_REPORT_H
#define GEMP_API_REPORT_H

#include "api/context.h"
#include "comm/exchange.h"
#include "gemp/report.h"
#include "graph/graph.h"
#include "partition/runtime.h"
#include "topology/vertex_degrees.h"

#include <jansson.h>
#include <stdio.h>

/* Seconds that gemp_report_finish will report. */
typedef struct gemp_pending_seconds {
	gemp_timers timers;
	bool all;
	double since; /* the time when they were set; 0: there are none */
} gemp_pending_seconds;

struct gemp_report {
	struct gemp_context *context; /* borrowed */
	const gemp_comm *comm;        /* the communicator of the context */
	double began;                 /* the time of gemp_now() when the report was opened */
	double start;   /* seconds from the start of the process to `began`; 0 if an earlier report has them */
	FILE *people;   /* passes text to the callback; NULL: no text is wanted */
	json_t *json;   /* NULL on ranks other than 0 */
	bool brief;     /* the text of gemp_report_detail is omitted */
	bool no_rows;   /* the text has no rows of results */
	bool whole_run; /* the seconds are reported at the end */
	bool unwanted;  /* no rank has outputs, so a function may leave out what it would report; equal on all ranks */
	gemp_pending_seconds pending;
	bool traces; /* spans are recorded for a trace */
	/* the report has all its fields although the result is negative, such as a graph without a circuit */
	bool complete;
	gemp_text_callback *text;
	void *text_self;
};

/* Local. Returns `given`, or `none` if `given` is NULL. `none` is a report that accepts all fields and text, and drops
 * them. */
gemp_report *gemp_report_or(gemp_report *given, gemp_report *none, struct gemp_context *context);

/* Local. Sets a field of the object, and takes over `value`. */
void gemp_report_set(gemp_report *report, const char *name, json_t *value);
json_t *gemp_json_count(uint64_t count); /* a number with all its digits, also above 2^63 */
json_t *gemp_json_real(double number);   /* null if the number is not finite */
/* middle_name: "avg" or "median" */
json_t *gemp_json_spread(double min, const char *middle_name, double middle, double max);
json_t *gemp_json_key(const gemp_value *key); /* the key of a vertex: an integer or a string */

/* These macros set several counts at once. gemp_report_set_counts(report, { "vertices", vertices }, { "edges", edges })
 * sets fields of a report, gemp_json_set_counts fields of an object, and gemp_json_counts({ ... }, ...) makes a new
 * object. */
typedef struct gemp_named_count {
	const char *name;
	uint64_t count;
} gemp_named_count;
#define gemp_json_set_counts(object, ...)                                         \
	gemp_json_set_count_list((object), (const gemp_named_count[]){ __VA_ARGS__ }, \
	                         sizeof((const gemp_named_count[]){ __VA_ARGS__ }) / sizeof(gemp_named_count))
#define gemp_report_set_counts(report, ...) gemp_json_set_counts((report)->json, __VA_ARGS__)
#define gemp_json_counts(...) gemp_json_set_counts(json_object(), __VA_ARGS__)
json_t *gemp_json_set_count_list(json_t *object, const gemp_named_count *counts, size_t size);

/* Collective. Each function sets the field of its name, if the list below does not name other fields, and prints its
 * lines. `runtime` is NULL if no device was opened; `work` and `search` need a runtime.
 *   seconds    `all` also shows phases of 0 s; in the report of a whole run at its end only
 *   devices    the devices of all ranks
 *   work       the work of searches on each device
 *   by_rank    the part of each rank in searches: JSON only; `profiled`: with the entries that it read
 *   memory     the peak of the largest rank; device_peak is the peak of this rank's devices
 *   exchange   the traffic of all ranks; a negative local_share is unknown; `of` says in words what it is a share of
 *   resources  devices, seconds and memory
 *   search     seconds, devices and memory, in the order of a query's report */
void gemp_report_graph(gemp_report *report, const gemp_shard *graph);
void gemp_report_seconds(gemp_report *report, const gemp_timers *timers, bool all);
gemp_code gemp_report_devices(gemp_report *report, const gemp_runtime *runtime);
gemp_code gemp_report_work(gemp_report *report, const gemp_runtime *runtime);
gemp_code gemp_report_by_rank(gemp_report *report, const gemp_runtime *runtime, bool profiled);
void gemp_report_memory(gemp_report *report, size_t device_peak);
void gemp_report_exchange(gemp_report *report, const gemp_traffic *traffic, double local_share, const char *of);
gemp_code gemp_report_resources(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers);
gemp_code gemp_report_search(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers, bool all);

/* Collective. Returns the traffic of all ranks. Bytes and messages are sums over the ranks; `rounds` is the maximum. */
gemp_traffic gemp_traffic_of_all(const gemp_comm *comm, const gemp_traffic *mine);
/* Collective. Reports the traffic of all ranks, in the same way for every engine, and returns it. */
gemp_traffic gemp_report_traffic(gemp_report *report, const gemp_traffic *mine);
/* Collective. For each of values[count] rank 0 gets the minimum, the sum and the maximum over all ranks. */
void gemp_reduce_spread(const gemp_comm *comm, const double *values, int count, double *min, double *sum, double *max);

/* Collective. Returns the bandwidth of copies in the memory of all devices together, or 0 unless gemp_bench_device has
 * measured all of them. It is not measured here, because that takes longer than most work: pagerank on R-MAT 16 (two
 * cores, PoCL, 2026-11-28) spent 1.1 of 1.6 s of processor time on it, and 256 of 370 MiB. */
gemp_code gemp_report_copy_rate(double *copy, const gemp_comm *comm, const gemp_device *device);

/* Collective. Sets the field `rate`: the place of the work (the threads of the host if `device` is NULL), the seconds
 * of the slowest rank, and the bytes a second of all ranks. Unless the bytes are few, the field also has the bandwidth
 * of a copy in the same memory (of a device: if it is known), and the text shows the ratio of both. `bytes` counts the
 * bytes that this rank read and wrote, each once. `transfers` is the time in seconds of this rank's copies to the
 * device and back; the field has the longest time of a rank. */
gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes);

/* Collective. Sets the fields `graph` and `schema`. With `with_nulls` it loads every attribute of the vertices and
 * reports the share of NULLs. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls);
/* Local. Writes the range of degrees in a class, such as "4 to 7", into out[size]. */
void gemp_degrees_range(char *out, size_t size, int class);
/* Local. Prints the classes of in- and out-degrees of directed edges and returns them as JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees);

#endif
