/* checkpoint: a folder with what a search has finished, so that another job can go on where this one had to stop.
 *
 * The search goes through parts of its pivots in order (match/pivot_part.h). checkpoint.json says what was asked, how
 * many parts are finished, the order of binding that fixes which matches these have, and the sums of their counts;
 * rows of finished parts lie in files beside it. All of it appears by renaming, the json last, after what it speaks
 * of is on the disk: whenever a job is killed, the folder is whole and at most the last seconds are lost.
 */
#ifndef GEMP_COMMAND_CHECKPOINT_H
#define GEMP_COMMAND_CHECKPOINT_H

#include "command/keeping.h"
#include "match/match.h"

/* Rows of parts from `first` to the first of the next one. */
typedef struct gemp_shard {
	uint32_t first;
	uint64_t rows;
} gemp_shard;

/* The same on all ranks. */
typedef struct gemp_checkpoint {
	const gemp_comm *comm;
	gemp_keeping keeping; /* the folder */
	const char *ending;  /* of files of rows, of what they will become (".tsv"); NULL: no rows are kept */
	uint32_t parts;      /* of the pivots: 4096, or one a vertex */
	uint32_t finished;   /* of them, [0, finished) */
	uint64_t runs;       /* jobs that have worked on it, this one included */
	double seconds;      /* that those before this one spent */
	uint64_t plan;       /* gemp_pivot_plan; 0: not known before the first part */
	int order_count, order[GEMP_MAX_PATTERN_VERTICES];
	gemp_count matches, embeddings, pivots, rows;
	bool embeddings_known;
	size_t shard_count, shard_capacity, shards_saved;
	gemp_shard *shards;
} gemp_checkpoint;

/* Collective. --checkpoint and --resume: makes the folder, or reads what is in it. A checkpoint that is there without
 * --resume, or that is one of another question or graph, is GEMP_EUSAGE. query: its text. */
gemp_code gemp_checkpoint_open(gemp_checkpoint **out, const gemp_comm *comm, const gemp_options *options,
                               const gemp_graph *graph, const char *query, const char *rows_path);
void gemp_checkpoint_free(gemp_checkpoint *checkpoint);

/* Local. Where rows of the parts from `first` on go; the caller frees (gemp_free). */
gemp_code gemp_checkpoint_shard_path(char **out, const gemp_checkpoint *checkpoint, uint32_t first);
/* Local. Parts [finished, finished + count) are finished, with these matches; rows in a file if rows are kept. */
gemp_code gemp_checkpoint_add(gemp_checkpoint *checkpoint, uint32_t count, const gemp_match_result *result,
                              uint64_t rows);
/* Collective. To the disk. seconds: that this job has spent. */
gemp_code gemp_checkpoint_save(gemp_checkpoint *checkpoint, double seconds);
/* Collective. All rows, in one file. */
gemp_code gemp_checkpoint_join(const gemp_checkpoint *checkpoint, const char *path);
/* Collective. Of a search that is done nothing is kept. */
gemp_code gemp_checkpoint_remove(const gemp_checkpoint *checkpoint);

#endif
