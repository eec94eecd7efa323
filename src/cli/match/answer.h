/* answer: what match and the demo have in common: pattern and graph -> plan -> engine -> rows -> report. */

#ifndef GEMP_CLI_MATCH_ANSWER_H
#define GEMP_CLI_MATCH_ANSWER_H

#include "api/report_state.h"
#include "cli/options/options.h"
#include "pattern/model/pattern.h"

/* Collective. Binds the patterns, matches one after the other as the options say, writes or shows the rows, and reports.
 * preview: rows shown where there is no --output, unless JSON has stdout. timers: what was spent before.
 *
 * Of several patterns each has a report of its own, in the array `queries` of the whole one, which has the time and memory of
 * all; rows go to files numbered from 1 (rows.tsv: rows.1.tsv, ...), and the graph is read, converted and copied to devices
 * for the first that needs it. */
gemp_code gemp_answer(gemp_report *report, const gemp_options *options, gemp_comm *comm, gemp_shard *graph,
                      gemp_pattern *const *patterns, size_t count, uint64_t preview, const gemp_timers *timers);

/* Where what the matches cover goes: --subgraph, or an --output that ends in .dot or .graphml; NULL: nowhere. And where
 * rows go: any other --output. */
const char *gemp_answer_subgraph_path(const gemp_options *options);
const char *gemp_answer_rows_path(const gemp_options *options);

#endif
