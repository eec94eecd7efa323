/* estimate: match --estimate. */
#ifndef GEMP_COMMAND_ESTIMATE_H
#define GEMP_COMMAND_ESTIMATE_H

#include "command/report.h"
#include "match/match.h"

/* Local. Options and patterns that have no estimate are refused; else how is set for one. */
gemp_code gemp_estimate_ready(const gemp_options *options, const gemp_pattern *pattern, gemp_match_options *how);
/* Collective. The bound pattern's matches, estimated and reported. query: its text. */
gemp_code gemp_estimate_answer(gemp_report *report, gemp_context *context, gemp_graph *graph,
                               const gemp_pattern *pattern,
                               const gemp_match_options *how, const char *query);

#endif
