/* checkpoint: a folder with what a search has finished, so that another job can go on where this one had to stop.
 *
 * The search goes through parts of its pivots in order (match/match_run.h). checkpoint.json says what was asked, how
 * many parts are finished, the order of binding that fixes which matches these have, and the sums of their counts;
 * rows of finished parts lie in files beside it. All of it appears by renaming, the json last, after what it speaks
 * of is on the disk: whenever a job is killed, the folder is whole and at most the last seconds are lost.
 */

#ifndef GEMP_CLI_MATCH_RESUMABLE_SEARCH_H
#define GEMP_CLI_MATCH_RESUMABLE_SEARCH_H

#include "api/checkpoint_store.h"
#include "api/report_state.h"
#include "cli/options/options.h"
#include "io/rows/row_writer.h"
#include "query/query.h"

/* Rows of parts from `first` to the first of the next one. */
typedef struct gemp_search_shard {
	uint32_t first;
	uint64_t rows;
} gemp_search_shard;

/* The same on all ranks. */
typedef struct gemp_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_store store; /* the folder */
	const char *ending;          /* of files of rows, of what they will become (".tsv"); NULL: no rows are kept */
	uint32_t parts;              /* of the pivots: 4096, or one a vertex */
	uint32_t finished;           /* of them, [0, finished) */
	uint64_t runs;               /* jobs that have worked on it, this one included */
	double seconds;              /* that those before this one spent */
	uint64_t plan;               /* gemp_pivot_plan; 0: not known before the first part */
	int order_count, order[GEMP_MAX_PATTERN_VERTICES];
	gemp_count matches, embeddings, pivots, rows;
	bool embeddings_known;
	size_t shard_count, shard_capacity, shards_saved;
	gemp_search_shard *shards;
} gemp_checkpoint;

/* Collective. --checkpoint and --resume: makes the folder, or reads what is in it. A checkpoint that is there without
 * --resume, or that is one of another question or graph, is GEMP_EUSAGE. query: its text. */
gemp_code gemp_checkpoint_open(gemp_checkpoint **out, const gemp_comm *comm, const gemp_options *options,
                               const gemp_shard *graph, const char *query, const char *rows_path);
void gemp_checkpoint_free(gemp_checkpoint *checkpoint);

/* in_parts: a match that can be stopped, by a signal or when its time is over, and gone on with
 * (cli/match/resumable_search.h): part after part of the pivots, as many at a time as take about a second. */

typedef struct gemp_resumable {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	gemp_prepared *query;
	gemp_checkpoint *checkpoint;
	gemp_rows_options rows;
	bool lists;         /* rows are wanted, else only counts */
	double start_time;  /* gemp_now() when the job began */
	double max_seconds; /* --max-time; 0: no end */
} gemp_resumable;

/* Local. Before anything is opened: options that --checkpoint does not go with, or that do not go without it. */
gemp_code gemp_resumable_check(const gemp_options *options, size_t queries);
/* Local. Queries whose answer is not the sum of what parts of the search give are refused. */
gemp_code gemp_resumable_ready(const gemp_pattern *pattern);

/* Collective. All that is left to do, or as much as there is time for: then GEMP_STOPPED, with a message that says
 * how to go on. The result is that of the whole search, the parts of earlier jobs included; rows are in their file.
 * What sums count is no search and is done in one step. */
gemp_code gemp_resumable_run(const gemp_resumable *job, gemp_match_result *result);

/* Sets `checkpoint`, and what is known of a search that was stopped. */
void gemp_resumable_report(gemp_report *report, const gemp_checkpoint *checkpoint, bool complete);

#endif
