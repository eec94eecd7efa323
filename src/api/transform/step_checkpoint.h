/* step_checkpoint: a run of rules that stops between two steps, and that a later job resumes with any number of ranks.
 * The checkpoint store (api/checkpoint_store.h) gets the current graph, the list of steps that applied a match, the
 * reports of the rules, and the change log, with one part for each job. The final graph is the graph of a run without
 * interruption. */

#ifndef GEMP_API_TRANSFORM_STEP_CHECKPOINT_H
#define GEMP_API_TRANSFORM_STEP_CHECKPOINT_H

#include "api/checkpoint_store.h"
#include "api/report.h"
#include "transform/changelog/change_log.h"
#include "transform/transform.h"

/* The state of the checkpoint. All ranks have the same values. */
typedef struct gemp_step_checkpoint {
	const gemp_comm *comm;
	gemp_checkpoint_settings settings;
	gemp_checkpoint_store store;
	double began;   /* the time of gemp_now() when the job began */
	gemp_stop stop; /* the reason for stopping */
	uint64_t runs;  /* number of jobs that have worked on the checkpoint, including this job */
	double seconds; /* seconds of the earlier jobs */
	char *graph;    /* owned: name of the graph's file; NULL: not written yet */
	size_t log_count, log_capacity;
	char **logs; /* [log_count] owned: names of the parts of the log, including the part of this job */
	/* Borrowed: the state that the checkpoint saves. Opening sets it to the state of the earlier jobs. */
	const gemp_rule_set *rules;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	json_t *steps;        /* the entries of `explain` */
	gemp_change_log *log; /* NULL: no log is written */
} gemp_step_checkpoint;

/* Collective. Makes the folder, or reads the checkpoint of an earlier job. In the second case *graph is freed and
 * becomes the graph of the checkpoint, and reports and history become those of the finished steps. `question`
 * (gemp_checkpoint_store_question) is taken over. */
gemp_code gemp_step_checkpoint_open(gemp_step_checkpoint *k, json_t *question, gemp_shard **graph);
void gemp_step_checkpoint_free(gemp_step_checkpoint *k);

/* Local. *path becomes the path of this job's part of the log. The caller frees *path (gemp_free). */
gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *k, char **path);

/* Collective. Returns whether a signal has arrived or the time of this job has ended. */
bool gemp_step_checkpoint_stop(gemp_step_checkpoint *k);
/* Collective. Saves the state. Returns GEMP_STOPPED with a message that says how to resume. `graph` must have the order
 * of a graph file. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *k, gemp_shard *graph);

/* Sets the fields `checkpoint` and `complete`. */
void gemp_step_checkpoint_report(gemp_report *report, const gemp_step_checkpoint *k, bool complete);

/* Collective. Joins all parts of the log to one file at `path`. */
gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *k, const char *path);
/* Collective. Removes the checkpoint after the rules have ended. */
gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *k);

#endif
