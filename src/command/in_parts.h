/* in_parts: a match that can be stopped, by a signal or when its time is over, and gone on with
 * (command/checkpoint.h): part after part of the pivots, as many at a time as take about a second. */
#ifndef GEMP_COMMAND_IN_PARTS_H
#define GEMP_COMMAND_IN_PARTS_H

#include "command/checkpoint.h"
#include "command/report.h"
#include "command/rows.h"
#include "query/query.h"

typedef struct gemp_in_parts {
	gemp_context *context;
	gemp_graph *graph;
	const gemp_pattern *pattern;
	gemp_query *query;
	gemp_checkpoint *checkpoint;
	gemp_rows_options rows;
	bool lists;              /* rows are wanted, else only counts */
	double began;            /* gemp_now() when the job began */
	double most_seconds;     /* --max-time; 0: no end */
} gemp_in_parts;

/* Local. Before anything is opened: options that --checkpoint does not go with, or that do not go without it. */
gemp_code gemp_in_parts_check(const gemp_options *options, size_t queries);
/* Local. Queries whose answer is not the sum of what parts of the search give are refused. */
gemp_code gemp_in_parts_ready(const gemp_pattern *pattern);

/* Collective. All that is left to do, or as much as there is time for: then GEMP_STOPPED, with a message that says
 * how to go on. The result is that of the whole search, the parts of earlier jobs included; rows are in their file.
 * What sums count is no search and is done in one step. */
gemp_code gemp_in_parts_run(const gemp_in_parts *job, gemp_match_result *result);

/* Sets `checkpoint`, and what is known of a search that was stopped. */
void gemp_in_parts_report(gemp_report *report, const gemp_checkpoint *checkpoint, bool complete);

#endif
