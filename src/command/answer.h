/* answer: what match and the demo have in common: pattern and graph -> plan -> engine -> rows -> report. */
#ifndef GEMP_COMMAND_ANSWER_H
#define GEMP_COMMAND_ANSWER_H

#include "command/report.h"
#include "match/match.h"
#include "pattern/pattern.h"

/* Collective. Binds the patterns, matches one after the other as the options say, writes or shows the rows, and reports.
 * preview: rows shown where there is no --output, unless JSON has stdout. timers: what was spent before.
 *
 * Of several patterns each has a report of its own, in the array `queries` of the whole one, which has the time and memory of
 * all; rows go to files numbered from 1 (rows.tsv: rows.1.tsv, ...), and the graph is read, converted and copied to devices
 * for the first that needs it. */
gemp_code gemp_answer(gemp_report *report, gemp_comm *comm, gemp_graph *graph, gemp_pattern *const *patterns, size_t count,
                      uint64_t preview, const gemp_timers *timers);

/* Collective. A context as the options say; its clocks go on from those of before. */
gemp_code gemp_answer_context(gemp_context **out, gemp_comm *comm, const gemp_options *options, const gemp_timers *timers);
/* For what does not search: of each rank's devices the first. */
gemp_code gemp_answer_context_of_one(gemp_context **out, gemp_comm *comm, const gemp_options *options, const gemp_timers *timers);

#endif
