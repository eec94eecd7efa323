/* query_job: runs one query, from the pattern and the graph to a plan, a search, rows and a report. The module
 * query_modes runs the modes whose result is neither rows nor a plain count, namely estimates from samples and counts
 * by vertex.
 *
 * The caller fills request, comm, pattern, number, preview and base (without its report and runtime), and then calls
 * check, run and free. Rows pass a chain of sinks, which apply the limit, collect the covered subgraph, and write the
 * rows. */

#ifndef GEMP_API_MATCH_QUERY_JOB_H
#define GEMP_API_MATCH_QUERY_JOB_H

#include "api/match/query_text.h"
#include "api/match/resumable_search.h"
#include "core/text.h"
#include "io/graph_file/graph_file_write.h"
#include "match/match_run.h"
#include "query/output/result_rows.h"

/* The request of the caller. The comment of a member names the modes that read it. */
typedef enum gemp_query_mode {
	GEMP_QUERY_MODE_COUNT,
	GEMP_QUERY_MODE_TABLE,
	GEMP_QUERY_MODE_WRITE,
	GEMP_QUERY_MODE_COUNT_PER,
	GEMP_QUERY_MODE_SAMPLE,
	GEMP_QUERY_MODE_PLAN,
	GEMP_QUERY_MODE_UPDATE /* api/transform/query_update.c */
} gemp_query_mode;

typedef struct gemp_query_request {
	gemp_query_mode mode;
	gemp_query *query;
	const char *path;              /* WRITE, COUNT_PER, UPDATE: file of rows; NULL: a preview */
	gemp_table *table;             /* TABLE: receives the rows */
	const char *vertex;            /* COUNT_PER: the pattern vertex */
	double seconds;                /* SAMPLE: the limit of time */
	uint64_t seed;                 /* SAMPLE */
	gemp_text *plan;               /* PLAN: receives the text of the plan */
	gemp_query_estimate *estimate; /* SAMPLE */
	gemp_query_result *result;
} gemp_query_request;

/* The state that all modes share. */
typedef struct gemp_query_search {
	gemp_report *report;
	gemp_runtime *runtime;
	gemp_shard *graph;
	const gemp_pattern *pattern; /* bound to the graph */
	const gemp_query_settings *settings;
	const char *text; /* the text of the query, for the report */
	gemp_match_options how;
} gemp_query_search;

typedef struct gemp_query_job {
	const gemp_query_request *request;
	gemp_query_search base;
	gemp_comm *comm;
	gemp_pattern *pattern; /* borrowed; the same pattern as base.pattern; NULL: the query runs clause by clause */
	gemp_query_form *form; /* borrowed */
	/* the part of the graph that the query needs, which base.graph is then; NULL: the whole graph */
	gemp_shard *neighbourhood;
	gemp_text found_by; /* how the neighbourhood was found, for the plan */
	gemp_prepared *prepared;
	gemp_sink rows, covered, limit_sink, *first;
	gemp_limit limit;
	gemp_checkpoint *checkpoint;  /* NULL: the search runs without a checkpoint */
	char *rows_path, *graph_path; /* owned; NULL: no such file */
	gemp_provenance provenance;   /* provenance of the file of the covered subgraph */
	size_t number;                /* number of this query among several, from 1; 0: it is the only query */
	uint64_t row_limit;           /* the limit of the settings, and, if rows stream, also the limit of the text */
	uint64_t preview;             /* number of rows in the text of the report */
	bool only_counts;             /* the clauses need only the number of matches */
	bool found_nothing;           /* after the run, on all ranks alike */
	bool writes;                  /* rows are written to a file, a table or the preview */
} gemp_query_job;

/* For jobs with a pattern; clause_job.h has the other jobs.
 * Local. Binds the pattern, and refuses contradictory settings before a device is opened. */
gemp_code gemp_query_job_check(gemp_query_job *job);
/* Collective. Runs the search, writes the rows and reports. */
gemp_code gemp_query_job_run(gemp_query_job *job, gemp_report *report, gemp_runtime *runtime);
/* Local. Frees the memory that check and run have allocated. */
void gemp_query_job_free(gemp_query_job *job);

/* MODES. Each mode has a local _check and a collective _run. _check refuses queries that the mode does not support, and
 * sets the options of the search. Both functions need a query that consists of one search. */

/* Local. order[*count] becomes the pattern vertices that `text` lists. GEMP_EUSAGE unless `text` lists each vertex
 * once. */
gemp_code gemp_query_order(int *order, int *count, const gemp_pattern *pattern, const char *text);

gemp_code gemp_sample_check(gemp_query_search *search, double seconds);
gemp_code gemp_sample_run(const gemp_query_search *search, double seconds, uint64_t seed, gemp_query_estimate *out);

/* `vertex` names a vertex of the pattern by its variable or its number from 0. */
gemp_code gemp_count_per_check(gemp_query_search *search, const char *vertex);
/* `path` is the file of rows. If it is NULL, the text of the report shows the first `preview` rows. */
gemp_code gemp_count_per_run(const gemp_query_search *search, const char *vertex, const char *path, uint64_t preview,
                             gemp_query_result *out);

/* REPORT */

extern const char *const gemp_distinct_unit[]; /* the name of a match for each gemp_distinct, such as "orbits" */

typedef struct gemp_match_report {
	const gemp_match_options *how;
	const gemp_match_result *result;
	const gemp_runtime *runtime;
	const char *query; /* the text of the query */
	bool profile;      /* the text has a profile */
	uint64_t rows;     /* number of rows in the result */
	/* all matches were found, but SKIP or LIMIT omitted rows, and the order of rows is not defined */
	bool truncated;
	bool preview;         /* the text of the report has rows */
	uint64_t shown;       /* number of rows in the text */
	const char *path;     /* file of rows; NULL: none */
	const char *subgraph; /* file of the covered subgraph; NULL: none */
	uint64_t covered_vertices, covered_edges;
} gemp_match_report;

/* Says in one line which embeddings the semantics allows, and which of them are one match. */
void gemp_match_report_sense(gemp_report *report, const gemp_match_options *how);
/* Collective. Reports the result of a search as text and as JSON. */
gemp_code gemp_match_report_write(gemp_report *report, const gemp_match_report *found);

#endif
