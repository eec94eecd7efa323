/* resumable_search: a search that stops, by a signal or when its time is over, and that a later job resumes.
 *
 * The pivots are searched in 4,096 parts in order (match/match_run.h), as many at a time as take about a second. The
 * checkpoint (api/checkpoint_store.h) has the number of finished parts, the order of binding, which decides the matches
 * of a part, and the sums of the counts. Rows of finished parts lie in files rows-NNNN beside it, where NNNN is the
 * first part, and become one file at the end. All ranks have the same state; rank 0 writes it.
 */

#ifndef GEMP_API_MATCH_RESUMABLE_SEARCH_H
#define GEMP_API_MATCH_RESUMABLE_SEARCH_H

#include "api/checkpoint_store.h"
#include "api/match/query.h"
#include "api/report.h"
#include "io/rows/row_writer.h"
#include "query/query.h"

/* A file with the rows of the parts from `first` on, up to the first part of the next file. */
typedef struct gemp_search_shard {
	uint32_t first;
	uint64_t rows;
} gemp_search_shard;

/* The same on all ranks. */
typedef struct gemp_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_store store; /* the folder */
	const char *ending;          /* of files of rows (".tsv"), the same as that of the output; NULL: no rows are kept */
	uint32_t parts;              /* of the pivots: 4096, or one for each vertex if they are fewer */
	uint32_t finished;           /* the parts [0, finished) are done */
	uint64_t runs;               /* jobs that have worked on it, with this one */
	double seconds;              /* that the jobs before this one took */
	uint64_t plan;               /* gemp_pivot_plan; 0: not known before the first part */
	int order_count, order[GEMP_MAX_PATTERN_VERTICES];
	gemp_count matches, embeddings, pivots, rows;
	bool embeddings_known;
	size_t shard_count, shard_capacity, shards_saved;
	gemp_search_shard *shards;
} gemp_checkpoint;

/* Collective. Makes the folder that the query's settings name, or reads what an earlier job left there. text: of the
 * query; rows_path: of the rows (NULL: none are kept); counts: gemp_query_count runs, not gemp_query_write. */
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

/* Local. Refuses settings that a checkpoint does not go with, before anything is opened. */
gemp_code gemp_resumable_check(const gemp_query_settings *settings, const char *path, size_t queries);
/* Local. Refuses queries whose result is not the sum of the results of parts. */
gemp_code gemp_resumable_check_pattern(const gemp_pattern *pattern);

/* Collective. Searches the parts that are left. If the time is over before, it fails with GEMP_STOPPED and a message
 * that says how to go on. The result is that of the whole search, with the parts of earlier jobs; rows are in their
 * file. A count by sums is no search and is done in one step. */
gemp_code gemp_resumable_run(const gemp_resumable *job, gemp_match_result *result);

/* Sets the field `checkpoint`, and the counts so far if the search was stopped. */
void gemp_resumable_report(gemp_report *report, const gemp_checkpoint *checkpoint, bool complete);

#endif
