/* query_job: one query of a run: pattern and graph -> plan -> search -> rows -> report.
 *
 * The caller fills asked, comm, pattern, number, preview and base but for its report and runtime; then check, run and free. Rows pass a
 * chain of sinks: the limit, the covered subgraph, the rows themselves.
 */

#ifndef GEMP_API_MATCH_QUERY_JOB_H
#define GEMP_API_MATCH_QUERY_JOB_H

#include "api/match/query_modes.h"
#include "api/match/query_state.h"
#include "api/match/resumable_search.h"
#include "core/text.h"
#include "io/graph_file/graph_file_write.h"
#include "query/output/result_rows.h"

/* What the caller wants; `request` says which members belong to which. */
typedef enum gemp_query_mode {
	GEMP_QUERY_MODE_COUNT,
	GEMP_QUERY_MODE_TABLE,
	GEMP_QUERY_MODE_WRITE,
	GEMP_QUERY_MODE_COUNT_PER,
	GEMP_QUERY_MODE_SAMPLE,
	GEMP_QUERY_MODE_PLAN
} gemp_query_mode;

typedef struct gemp_query_request {
	gemp_query_mode mode;
	gemp_query *query;
	const char *path;              /* WRITE, COUNT_PER; NULL: a preview */
	gemp_table *table;             /* TABLE */
	const char *vertex;            /* COUNT_PER */
	double seconds;                /* SAMPLE */
	uint64_t seed;                 /* SAMPLE */
	gemp_text *plan;               /* PLAN; NULL: not wanted */
	gemp_query_estimate *estimate; /* SAMPLE */
	gemp_query_result *result;
} gemp_query_request;

typedef struct gemp_query_job {
	const gemp_query_request *asked;
	gemp_query_search base;
	gemp_comm *comm;
	gemp_pattern *pattern; /* borrowed, the same as base.pattern */
	gemp_prepared *prepared;
	gemp_sink rows, covered, limit_sink, *first;
	gemp_limit limit;
	gemp_checkpoint *checkpoint;  /* NULL: the search is one run */
	char *rows_path, *graph_path; /* owned; NULL: nowhere */
	gemp_provenance provenance;   /* of the covered subgraph */
	size_t number;                /* among several, from 1; 0: there is one */
	uint64_t row_limit;           /* of the settings and, where rows stream, of the text */
	uint64_t preview;             /* rows shown */
	bool only_counts;             /* clauses need the number of matches alone */
	bool writes;                  /* rows, to a file, a table or the preview */
} gemp_query_job;

/* Local. Binds the pattern, and refuses what does not go together, before a device is opened. */
gemp_code gemp_query_job_check(gemp_query_job *job);
/* Collective. */
gemp_code gemp_query_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime);
/* Local. Frees what check and run have added. */
void gemp_query_job_free(gemp_query_job *job);

#endif
