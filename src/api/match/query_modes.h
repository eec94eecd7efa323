/* query_modes: runs of a query that are neither rows nor a plain count: an estimate from samples, and counts by vertex.
 *
 * Each mode has a local _check, which refuses queries that the mode does not go with and sets the options of the search, and a
 * collective _run. Both need a query that is one search.
 */

#ifndef GEMP_API_MATCH_QUERY_MODES_H
#define GEMP_API_MATCH_QUERY_MODES_H

#include "api/report_state.h"
#include "gemp/query.h"
#include "match/match_run.h"

/* What a mode works with. */
typedef struct gemp_query_search {
	gemp_report *report;
	gemp_runtime *runtime;
	gemp_shard *graph;
	const gemp_pattern *pattern; /* bound */
	const gemp_query_settings *settings;
	const char *text; /* of the query, for the report */
	gemp_match_options how;
} gemp_query_search;

/* order[*count]: each vertex of the pattern once, as `text` lists them. GEMP_EUSAGE. */
gemp_code gemp_query_order(int *order, int *count, const gemp_pattern *pattern, const char *text);

gemp_code gemp_sample_check(gemp_query_search *search, double seconds);
gemp_code gemp_sample_run(const gemp_query_search *search, double seconds, uint64_t seed, gemp_query_estimate *out);

/* vertex: of the pattern, a variable or a number from 0. */
gemp_code gemp_count_per_check(gemp_query_search *search, const char *vertex);
/* Rows go to `path`, or some are shown where it is NULL. */
gemp_code gemp_count_per_run(const gemp_query_search *search, const char *vertex, const char *path, uint64_t preview,
                             gemp_query_result *out);

#endif
