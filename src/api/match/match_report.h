/* match_report: the result of a search, for people and as JSON. */

#ifndef GEMP_API_MATCH_MATCH_REPORT_H
#define GEMP_API_MATCH_MATCH_REPORT_H

#include "api/report_state.h"
#include "match/match_run.h"

extern const char *const gemp_distinct_unit[]; /* what matches are, by gemp_distinct: "orbits" */

typedef struct gemp_match_report {
	const gemp_match_options *how;
	const gemp_match_result *result;
	const gemp_runtime *runtime;
	const char *query; /* its text */
	uint64_t rows;     /* of the result */
	bool truncated; /* SKIP or LIMIT left out rows that might be in the result; matches may be complete all the same */
	bool preview;   /* some rows were shown */
	uint64_t shown; /* how many */
	const char *path;     /* where rows went; NULL: nowhere, or shown */
	const char *subgraph; /* where the covered subgraph went; NULL: nowhere */
	uint64_t covered_vertices, covered_edges;
} gemp_match_report;

/* Collective. */
gemp_code gemp_match_report_write(gemp_report *report, const gemp_match_report *found);

#endif
