/* report: what a command says at its end: text for people, and the same as one JSON object (--json).
 *
 * With `--json -` the object is all that stdout gets, and text for people goes to stderr; so it does where rows go to
 * stdout. Only rank 0 writes; on other ranks json is NULL, which jansson's setters take and ignore.
 */

#ifndef GEMP_CLI_REPORT_REPORT_H
#define GEMP_CLI_REPORT_REPORT_H

#include "cli/options/options.h"
#include "graph/graph.h"
#include "partition/runtime.h"

#include <jansson.h>
#include <stdio.h>

typedef struct gemp_report {
	const gemp_comm *comm;
	const gemp_options *options;
	double began; /* gemp_now() */
	FILE *people; /* NULL: another rank, or --json - with --quiet */
	json_t *json; /* NULL but on rank 0 */
} gemp_report;

/* --json -: stdout is for JSON alone. */
bool gemp_json_on_stdout(const gemp_options *options);

/* What was asked for; and what --quiet leaves out. */
void gemp_report_print(const gemp_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void gemp_report_detail(const gemp_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fields of the object; `value` is taken over. */
void gemp_report_set(gemp_report *report, const char *name, json_t *value);
json_t *gemp_json_count(uint64_t count);      /* all digits, as the report is written */
json_t *gemp_json_real(double number);        /* null if it is not finite */
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
