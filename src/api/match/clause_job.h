/* clause_job: runs a query that is executed clause by clause (src/cypher), writes its rows and reports. */

#ifndef GEMP_API_MATCH_CLAUSE_JOB_H
#define GEMP_API_MATCH_CLAUSE_JOB_H

#include "api/match/query_job.h"
#include "cypher/run.h"
#include "io/rows/row_writer.h"

/* Local. Refuses settings that are for a query of one search, and names that the graph lacks. */
gemp_code gemp_clause_job_check(gemp_query_job *job);
/* Collective. */
gemp_code gemp_clause_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime);

/* STEPS, which a query that changes the graph has in another order (api/transform/query_update.c). */

/* Collective. Reports the plan; the text has it only if `shown` is true. */
gemp_code gemp_clause_job_explain(const gemp_query_job *job, bool shown);
/* Collective. Writes the first `count` rows of rank 0 if some output wants them; `count` of other ranks is 0. *out
 * stays NULL if nothing wants rows. */
gemp_code gemp_clause_job_write(gemp_row_writer **out, gemp_query_job *job, const gemp_cypher_result *result,
                                uint64_t count);
/* Collective. Completes the file of rows or prints the preview. hash: of the graph that was queried; complete: no row
 * is left out. writer may be NULL. */
gemp_code gemp_clause_job_close(const gemp_query_job *job, gemp_row_writer *writer, uint64_t hash, bool complete);
/* Reports the query and its rows, of which there are `all`. */
void gemp_clause_job_report(const gemp_query_job *job, uint64_t rows, uint64_t all);

#endif
