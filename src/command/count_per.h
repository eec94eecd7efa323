/* count_per: match --count-per V. */
#ifndef GEMP_COMMAND_COUNT_PER_H
#define GEMP_COMMAND_COUNT_PER_H

#include "command/report.h"
#include "match/match.h"

/* Local. Options and patterns that it does not go with are refused; else how is set for it. */
gemp_code gemp_count_per_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how);
/* Collective. Rows `key, count` of the vertices in some match, to `path` or shown, and the report. */
gemp_code gemp_count_per_answer(gemp_report *report, gemp_context *context, gemp_graph *graph,
                                const gemp_pattern *pattern,
                                const gemp_match_options *how, const char *path, uint64_t preview);

#endif
