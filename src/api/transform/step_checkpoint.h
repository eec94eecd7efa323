/* step_checkpoint: rules whose run stops between two steps and goes on in a later job, with any number of ranks: the checkpoint
 * store (api/checkpoint_store.h) gets the graph so far, what became of each step, the reports of the rules, and the change log so far,
 * one part for each job. The graph that comes out in the end is the same as that of a run that never stopped.
 */

#ifndef GEMP_API_TRANSFORM_STEP_CHECKPOINT_H
#define GEMP_API_TRANSFORM_STEP_CHECKPOINT_H

#include "api/checkpoint_store.h"
#include "api/report_state.h"
#include "transform/changelog/change_log.h"
#include "transform/transform.h"

/* The same on all ranks. */
typedef struct gemp_step_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_settings settings;
	gemp_checkpoint_store store;
	double began;   /* gemp_now() when the job did */
	gemp_stop stop; /* what ends it */
	uint64_t runs;  /* jobs that have worked on it, this one included */
	double seconds; /* that the jobs before this one took */
	char *graph;    /* owned: name of the graph's file; NULL: none is there yet */
	size_t log_count, log_capacity;
	char **logs; /* [log_count] owned: names of the parts of the log, that of this job included */
	/* Borrowed: what is kept, and is set by opening. */
	const gemp_rule_set *rules;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	json_t *steps;        /* of `explain` */
	gemp_change_log *log; /* NULL: none is written */
} gemp_step_checkpoint;

/* Collective. Makes the folder, or reads what an earlier job has left: then *graph is freed and becomes the graph of that job, and
 * reports and history are those of the steps so far. question (gemp_checkpoint_store_question) is taken over. */
gemp_code gemp_step_checkpoint_open(gemp_step_checkpoint *k, json_t *question, gemp_shard **graph);
void gemp_step_checkpoint_free(gemp_step_checkpoint *k);

/* Local. The path of this job's part of the log; the caller frees (gemp_free). */
gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *k, char **path);

/* Collective. Does a signal end this job, or is its time over? */
bool gemp_step_checkpoint_stop(gemp_step_checkpoint *k);
/* Collective. Keeps everything, and returns GEMP_STOPPED with a message that says how to go on. graph: in the order of a file. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *k, gemp_shard *graph);

/* Sets `checkpoint` and `complete`. */
void gemp_step_checkpoint_report(gemp_report *report, const gemp_step_checkpoint *k, bool complete);

/* Collective. Joins all parts of the log in one file at `path`. */
gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *k, const char *path);
/* Collective. Removes the checkpoint of rules that are done. */
gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *k);

#endif
