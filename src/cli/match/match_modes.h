/* order_option: --order as vertices of a pattern. */

#ifndef GEMP_CLI_MATCH_MATCH_MODES_H
#define GEMP_CLI_MATCH_MATCH_MODES_H

#include "api/report_state.h"
#include "cli/options/options.h"
#include "match/planner/match_options.h"

/* order[*count]: every vertex of the pattern once, else GEMP_EUSAGE. */
gemp_code gemp_order_option(int *order, int *count, const gemp_pattern *pattern, const char *text);

/* estimate: match --estimate. */

/* Local. Options and patterns that have no estimate are refused; else how is set for one. */
gemp_code gemp_estimate_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how);
/* Collective. The bound pattern's matches, estimated and reported. query: its text. */
gemp_code gemp_estimate_answer(gemp_report *report, const gemp_options *options, gemp_runtime *context,
                               gemp_shard *graph, const gemp_pattern *pattern, const gemp_match_options *how,
                               const char *query);

/* count_per: match --count-per V. */

/* Local. Options and patterns that it does not go with are refused; else how is set for it. */
gemp_code gemp_count_per_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how);
/* Collective. Rows `key, count` of the vertices in some match, to `path` or shown, and the report. */
gemp_code gemp_count_per_answer(gemp_report *report, const gemp_options *options, gemp_runtime *context,
                                gemp_shard *graph, const gemp_pattern *pattern, const gemp_match_options *how,
                                const char *path, uint64_t preview);

#endif
