/* report_state: what a gemp_report (gemp/report.h) is inside, and how functions of the library fill it: fields of a JSON object,
 * and text for people. Only rank 0 has either; on other ranks json and people are NULL, which all functions here and jansson's
 * setters take and ignore.
 */

#ifndef GEMP_API_REPORT_STATE_H
#define GEMP_API_REPORT_STATE_H

#include "api/context_state.h"
#include "gemp/report.h"
#include "graph/graph.h"
#include "partition/runtime.h"

#include <jansson.h>
#include <stdio.h>

struct gemp_report {
	struct gemp_context *context; /* borrowed */
	const gemp_comm *comm;        /* the context's */
	double began;                 /* gemp_now() */
	FILE *people;                 /* hands text to the callback; NULL: nobody reads */
	json_t *json;                 /* NULL but on rank 0 */
	bool brief;                   /* without gemp_report_detail */
	bool no_rows;                 /* people are shown no rows */
	bool traces;                  /* spans are recorded for it */
	bool complete;                /* has all its fields though the function failed: a graph without circuit, say */
	gemp_text_callback *text;
	void *text_self;
};

/* Local. `given`, or `none`, which takes everything and keeps nothing, where that is NULL. */
gemp_report *gemp_report_or(gemp_report *given, gemp_report *none, struct gemp_context *context);

/* Fields of the object; `value` is taken over. */
void gemp_report_set(gemp_report *report, const char *name, json_t *value);
json_t *gemp_json_count(uint64_t count); /* all digits, as the report is written */
json_t *gemp_json_real(double number);   /* null if it is not finite */
json_t *gemp_json_spread(double min, const char *middle_name, double middle, double max); /* "avg" or "median" */
json_t *gemp_json_key(const gemp_value *key); /* of a vertex: an integer or a string */

/* Collective. Each sets the field of its name and prints its lines.
 *   seconds   all: shows phases of 0 s too
 *   devices   of all ranks; context NULL: none was opened
 *   work      of each device: what searches did there
 *   exchange  of all ranks; local_share negative: not known; of: of what it is the share, in words */
void gemp_report_graph(gemp_report *report, const gemp_shard *graph);
void gemp_report_seconds(gemp_report *report, const gemp_timers *timers, bool all);
gemp_code gemp_report_devices(gemp_report *report, const gemp_runtime *context);
gemp_code gemp_report_work(gemp_report *report, const gemp_runtime *context);
void gemp_report_memory(gemp_report *report, size_t device_peak);
void gemp_report_exchange(gemp_report *report, const gemp_traffic *traffic, double local_share, const char *of);

#endif
