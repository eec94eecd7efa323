/* clause_job: runs a query that is executed clause by clause (src/cypher), writes its rows and reports. */

#ifndef GEMP_API_MATCH_CLAUSE_JOB_H
#define GEMP_API_MATCH_CLAUSE_JOB_H

#include "api/match/query_job.h"

/* Local. Refuses settings that are for a query of one search, and names that the graph lacks. */
gemp_code gemp_clause_job_check(gemp_query_job *job);
/* Collective. */
gemp_code gemp_clause_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime);

#endif
