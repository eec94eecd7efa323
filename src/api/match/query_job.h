/* query_job: one query of a run: pattern and graph -> plan -> search -> rows -> report; and the modes whose result is
 * neither rows nor a plain count: an estimate from samples, and counts by vertex.
 *
 * The caller fills request, comm, pattern, number, preview and base, except for base's report and runtime; then it
 * calls check, run and free. Rows pass a chain of sinks: the limit, the covered subgraph, the rows themselves.
 */

#ifndef GEMP_API_MATCH_QUERY_JOB_H
#define GEMP_API_MATCH_QUERY_JOB_H

#include "api/match/query.h"
#include "api/match/resumable_search.h"
#include "core/text.h"
#include "io/graph_file/graph_file_write.h"
#include "match/match_run.h"
#include "query/output/result_rows.h"

/* The request of the caller. The members of gemp_query_request name the modes that read them. */
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
	gemp_text *plan;               /* PLAN */
	gemp_query_estimate *estimate; /* SAMPLE */
	gemp_query_result *result;
} gemp_query_request;

/* The state that all modes use. */
typedef struct gemp_query_search {
	gemp_report *report;
	gemp_runtime *runtime;
	gemp_shard *graph;
	const gemp_pattern *pattern; /* bound */
	const gemp_query_settings *settings;
	const char *text; /* of the query, for the report */
	gemp_match_options how;
} gemp_query_search;

typedef struct gemp_query_job {
	const gemp_query_request *request;
	gemp_query_search base;
	gemp_comm *comm;
	gemp_pattern *pattern; /* borrowed, the same as base.pattern */
	gemp_prepared *prepared;
	gemp_sink rows, covered, limit_sink, *first;
	gemp_limit limit;
	gemp_checkpoint *checkpoint;  /* NULL: the search is one run */
	char *rows_path, *graph_path; /* owned; NULL: nowhere */
	gemp_provenance provenance;   /* of the covered subgraph */
	size_t number;                /* among several queries, from 1; 0: there is only one */
	uint64_t row_limit;           /* of the settings and, if rows stream, of the text */
	uint64_t preview;             /* rows that people are shown */
	bool only_counts;             /* the clauses need only the number of matches */
	bool writes;                  /* rows are written to a file, a table or the preview */
} gemp_query_job;

/* Local. Binds the pattern, and refuses settings that do not go together, before a device is opened. */
gemp_code gemp_query_job_check(gemp_query_job *job);
/* Collective. Runs the search, writes and reports. */
gemp_code gemp_query_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime);
/* Local. Frees what check and run have added. */
void gemp_query_job_free(gemp_query_job *job);

/* MODES. Each has a local _check, which refuses queries that the mode does not go with and sets the options of the
 * search, and a collective _run. Both need a query that is one search. */

/* Local. order[*count] becomes each vertex of the pattern once, as `text` lists them. GEMP_EUSAGE. */
gemp_code gemp_query_order(int *order, int *count, const gemp_pattern *pattern, const char *text);

gemp_code gemp_sample_check(gemp_query_search *search, double seconds);
gemp_code gemp_sample_run(const gemp_query_search *search, double seconds, uint64_t seed, gemp_query_estimate *out);

/* vertex: of the pattern, a variable or a number from 0. */
gemp_code gemp_count_per_check(gemp_query_search *search, const char *vertex);
/* path: of the rows; NULL: as many as `preview` are shown. */
gemp_code gemp_count_per_run(const gemp_query_search *search, const char *vertex, const char *path, uint64_t preview,
                             gemp_query_result *out);

/* REPORT */

extern const char *const gemp_distinct_unit[]; /* what matches are, by gemp_distinct: "orbits" */

typedef struct gemp_match_report {
	const gemp_match_options *how;
	const gemp_match_result *result;
	const gemp_runtime *runtime;
	const char *query;    /* its text */
	uint64_t rows;        /* of the result */
	bool truncated;       /* SKIP or LIMIT left out rows that might be in the result, though all matches were found */
	bool preview;         /* people were shown rows */
	uint64_t shown;       /* how many */
	const char *path;     /* file of rows; NULL: none */
	const char *subgraph; /* file of the covered subgraph; NULL: none */
	uint64_t covered_vertices, covered_edges;
} gemp_match_report;

/* Collective. The result of a search, for people and as JSON. */
gemp_code gemp_match_report_write(gemp_report *report, const gemp_match_report *found);

#endif
