/* census: match --pattern motifs:K. */
#ifndef GEMP_COMMAND_CENSUS_H
#define GEMP_COMMAND_CENSUS_H

#include "command/report.h"

/* Local. What options say that has no meaning for a census is refused. */
gemp_code gemp_census_check(const gemp_options *options);
/* Collective. All connected patterns of so many vertices counted, as a table and as JSON. */
gemp_code gemp_census_answer(gemp_report *report, gemp_comm *comm, gemp_graph *graph, int vertices,
                             const gemp_timers *timers);

#endif
