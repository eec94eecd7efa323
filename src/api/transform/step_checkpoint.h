/* step_checkpoint: a run of rules that stops between two steps, and that a later job resumes, with any number of ranks.
 * The checkpoint store (api/checkpoint_store.h) gets the graph so far, whether each step applied anything, the reports
 * of the rules, and the change log so far, one part for each job. The final graph is the same as that of a run that
 * never stopped.
 */

#ifndef GEMP_API_TRANSFORM_STEP_CHECKPOINT_H
#define GEMP_API_TRANSFORM_STEP_CHECKPOINT_H

#include "api/checkpoint_store.h"
#include "api/report.h"
#include "transform/changelog/change_log.h"
#include "transform/transform.h"

/* The same on all ranks. */
typedef struct gemp_step_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_settings settings;
	gemp_checkpoint_store store;
	double began;   /* gemp_now() when the job began */
	gemp_stop stop; /* why it stops */
	uint64_t runs;  /* jobs that have worked on it, with this one */
	double seconds; /* that the jobs before this one took */
	char *graph;    /* owned: name of the graph's file; NULL: there is none yet */
	size_t log_count, log_capacity;
	char **logs; /* [log_count] owned: names of the parts of the log, with that of this job */
	/* Borrowed: the state that is kept. Opening sets it to that of an earlier job. */
	const gemp_rule_set *rules;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	json_t *steps;        /* of `explain` */
	gemp_change_log *log; /* NULL: none is written */
} gemp_step_checkpoint;

/* Collective. Makes the folder, or reads what an earlier job has left: then *graph is freed and becomes the graph of
 * that job, and reports and history become those of the steps so far. question (gemp_checkpoint_store_question) is
 * taken over. */
gemp_code gemp_step_checkpoint_open(gemp_step_checkpoint *k, json_t *question, gemp_shard **graph);
void gemp_step_checkpoint_free(gemp_step_checkpoint *k);

/* Local. The path of this job's part of the log; the caller frees (gemp_free). */
gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *k, char **path);

/* Collective. Returns whether a signal has arrived or the time of this job is over. */
bool gemp_step_checkpoint_stop(gemp_step_checkpoint *k);
/* Collective. Saves the state, and returns GEMP_STOPPED with a message that says how to go on. The graph is in the
 * order of a file. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *k, gemp_shard *graph);

/* Sets the fields `checkpoint` and `complete`. */
void gemp_step_checkpoint_report(gemp_report *report, const gemp_step_checkpoint *k, bool complete);

/* Collective. Joins all parts of the log in one file at `path`. */
gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *k, const char *path);
/* Collective. Removes the checkpoint of rules that are done. */
gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *k);

#endif
