/* answer: what match and the demo have in common: pattern and graph -> plan -> engine -> rows -> report. */
#ifndef GEMP_COMMAND_ANSWER_H
#define GEMP_COMMAND_ANSWER_H

#include "command/report.h"
#include "match/match.h"
#include "pattern/pattern.h"

/* Collective. Binds the pattern, matches as the options say, writes or shows the rows, and reports. preview: rows shown
 * where there is no --output, unless JSON has stdout. timers: what was spent before. */
gemp_code gemp_answer(gemp_report *report, gemp_comm *comm, gemp_graph *graph, gemp_pattern *pattern, uint64_t preview,
                      const gemp_timers *timers);

#endif
