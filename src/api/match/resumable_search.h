/* resumable_search: a search that a signal or a limit of time can stop, and that a later job resumes.
 *
 * The pivots are searched in 4,096 parts in order (match/match_run.h). A step searches as many parts as take about a
 * second. The checkpoint (api/checkpoint_store.h) has the number of finished parts, the sums of their counts, and the
 * order of binding, which determines the matches of a part. The rows of finished parts lie in files rows-NNNN in the
 * same folder, where NNNN is the first part, and become one file at the end. All ranks have the same state, and rank 0
 * writes it. */

#ifndef GEMP_API_MATCH_RESUMABLE_SEARCH_H
#define GEMP_API_MATCH_RESUMABLE_SEARCH_H

#include "api/checkpoint_store.h"
#include "api/match/query.h"
#include "api/report.h"
#include "io/rows/row_writer.h"
#include "query/query.h"

/* A file with the rows of the parts from `first` to the part before the first part of the next file. */
typedef struct gemp_search_shard {
	uint32_t first;
	uint64_t rows;
} gemp_search_shard;

/* The progress of a search. All ranks have the same values. */
typedef struct gemp_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_store store; /* the folder */
	/* ending of the files of rows and of the output, such as ".tsv"; NULL: no rows are kept */
	const char *ending;
	uint32_t parts;    /* number of parts: 4096, or the number of vertices if it is smaller */
	uint32_t finished; /* the parts [0, finished) are done */
	uint64_t runs;     /* number of jobs that have worked on the search, including this job */
	double seconds;    /* seconds of the earlier jobs */
	uint64_t plan;     /* hash of the plan (gemp_pivot_plan); 0: unknown before the first part */
	int order_count, order[GEMP_MAX_PATTERN_VERTICES];
	gemp_count matches, embeddings, pivots, rows;
	bool embeddings_known;
	size_t shard_count, shard_capacity, shards_saved;
	gemp_search_shard *shards;
} gemp_checkpoint;

/* Collective. Makes the folder of the query's settings, or reads the checkpoint of an earlier job. `text` is the text
 * of the query. `rows_path` is the file of rows, or NULL if no rows are kept. `counts` is true for gemp_query_count and
 * false for gemp_query_write. */
gemp_code gemp_checkpoint_open(gemp_checkpoint **out, const gemp_query *query, const char *text, const char *rows_path,
                               bool counts);
void gemp_checkpoint_free(gemp_checkpoint *checkpoint);
GEMP_RELEASE(gemp_checkpoint_free, gemp_checkpoint *)

typedef struct gemp_resumable {
	gemp_runtime *runtime;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_prepared *query;
	gemp_checkpoint *checkpoint;
	gemp_rows_options rows;
	bool lists;         /* rows are wanted, not only counts */
	double start_time;  /* gemp_now() at the start of the job */
	double max_seconds; /* 0: no limit */
} gemp_resumable;

/* Local. Refuses settings that do not work with a checkpoint, before any file is opened. */
gemp_code gemp_resumable_check(const gemp_query_settings *settings, const char *path, size_t queries);
/* Local. Refuses queries whose result is not the sum of the results of parts. */
gemp_code gemp_resumable_check_pattern(const gemp_pattern *pattern);

/* Collective. Searches the unfinished parts. If a signal or the time limit ends the search before the last part, it
 * fails with GEMP_STOPPED and a message that says how to resume. *result is the result of the whole search, including
 * the parts of earlier jobs. The rows are in their file. A count by sums is done in one step, since it has no parts. */
gemp_code gemp_resumable_run(const gemp_resumable *job, gemp_match_result *result);

/* Sets the field `checkpoint`, and the current counts if the search was stopped. */
void gemp_resumable_report(gemp_report *report, const gemp_checkpoint *checkpoint, bool complete);

#endif
