/* report_state: the members of a gemp_report (gemp/report.h), and how functions of the library fill it: fields of a
 * JSON object, and text for people. Only rank 0 has either; on other ranks json and people are NULL, which all
 * functions here and jansson's setters accept and ignore.
 */

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

struct gemp_report {
	struct gemp_context *context; /* borrowed */
	const gemp_comm *comm;        /* the context's */
	double began;                 /* gemp_now() */
	FILE *people;                 /* hands text to the callback; NULL: no text is wanted */
	json_t *json;                 /* NULL on ranks other than 0 */
	bool brief;                   /* without gemp_report_detail */
	bool no_rows;                 /* people are shown no rows */
	bool traces;                  /* spans are recorded for it */
	bool complete;                /* it has all its fields though the function failed, as for a graph without circuit */
	gemp_text_callback *text;
	void *text_self;
};

/* Local. Returns `given`, or, where that is NULL, `none`, which accepts all fields and text and keeps nothing. */
gemp_report *gemp_report_or(gemp_report *given, gemp_report *none, struct gemp_context *context);

/* Fields of the object; `value` is taken over. */
void gemp_report_set(gemp_report *report, const char *name, json_t *value);
json_t *gemp_json_count(uint64_t count); /* all digits, as the report is written */
json_t *gemp_json_real(double number);   /* null if it is not finite */
json_t *gemp_json_spread(double min, const char *middle_name, double middle, double max); /* "avg" or "median" */
json_t *gemp_json_key(const gemp_value *key); /* of a vertex: an integer or a string */

/* Several counts at once: gemp_report_set_counts(report, { "vertices", vertices }, { "edges", edges }), likewise for an
 * object; and gemp_json_counts({ ... }, ...), a new object. */
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

/* Collective. Each sets the field of its name and prints its lines.
 *   seconds    all: also shows phases of 0 s
 *   devices    of all ranks; runtime NULL: none was opened
 *   work       of each device: what searches did there
 *   memory     peak of the largest rank; device_peak: of this rank's devices
 *   exchange   of all ranks; local_share negative: not known; of: of what it is the share, in words
 *   resources  devices, seconds and memory; runtime NULL: no device was opened
 *   search     seconds by the runtime's clocks, devices and memory, in the order of a query's report */
void gemp_report_graph(gemp_report *report, const gemp_shard *graph);
void gemp_report_seconds(gemp_report *report, const gemp_timers *timers, bool all);
gemp_code gemp_report_devices(gemp_report *report, const gemp_runtime *runtime);
gemp_code gemp_report_work(gemp_report *report, const gemp_runtime *runtime);
void gemp_report_memory(gemp_report *report, size_t device_peak);
void gemp_report_exchange(gemp_report *report, const gemp_traffic *traffic, double local_share, const char *of);
gemp_code gemp_report_resources(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers);
gemp_code gemp_report_search(gemp_report *report, const gemp_runtime *runtime, const gemp_timers *timers, bool all);

/* Collective. The traffic of all ranks: bytes and messages are summed; rounds are those of the rank that took part in
 * most. */
gemp_traffic gemp_traffic_of_all(const gemp_comm *comm, const gemp_traffic *mine);
/* Collective. The minimum, the sum and the maximum of each of values[count] over all ranks, on rank 0 alone. */
void gemp_reduce_spread(const gemp_comm *comm, const double *values, int count, double *min, double *sum, double *max);

/* Collective. Reports where work was done (device NULL: on the threads of the host), in how many seconds, and the bytes
 * a second; unless the bytes are few, also the ratio to the bandwidth of a copy there. bytes: read and written by this
 * rank, each once; the seconds of the slowest rank count. transfers: seconds of copies to the device and back. Sets
 * `rate`. */
gemp_code gemp_report_rate(gemp_report *report, gemp_device *device, double seconds, double transfers, uint64_t bytes);

/* Collective. Sets the fields `graph` and `schema`. with_nulls: loads every attribute of the vertices and reports the
 * share of NULL. */
gemp_code gemp_schema_report(gemp_report *report, gemp_shard *graph, bool with_nulls);
/* Local. "4 to 7": the degrees of a class. */
void gemp_degrees_range(char *out, size_t size, int class);
/* Local. Prints the classes of in- and out-degrees of directed edges, and returns them as JSON. */
json_t *gemp_degrees_report(gemp_report *report, const gemp_degree_histogram *degrees);

#endif
