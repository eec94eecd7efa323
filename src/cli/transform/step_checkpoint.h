/* kept_steps: a transformation that can be stopped between two steps and gone on with: the graph so far, what became of
 * each step, the reports of rules and the change log so far are kept in the folder of --checkpoint (api/checkpoint_store.h).
 * The graph that comes out is the same, also with another number of ranks. */

#ifndef GEMP_CLI_TRANSFORM_STEP_CHECKPOINT_H
#define GEMP_CLI_TRANSFORM_STEP_CHECKPOINT_H

#include "api/checkpoint_store.h"
#include "api/report_state.h"
#include "cli/options/options.h"
#include "transform/changelog/change_log.h"
#include "transform/transform.h"

/* The same on all ranks. */
typedef struct gemp_step_checkpoint {
	const gemp_comm *comm;
	const gemp_options *options;
	gemp_checkpoint_store store;
	double began;   /* gemp_now() when the job did */
	gemp_stop stop; /* what ends it */
	uint64_t runs;  /* jobs that have worked on it, this one included */
	double seconds; /* that those before this one spent */
	char *graph;    /* name of the kept file; NULL: none is kept yet */
	size_t log_count, log_capacity;
	char **logs; /* [log_count] names of the log's parts, that of this job included */
	/* What is kept is made of, and goes to: */
	const gemp_rule_set *rules;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	json_t *steps;        /* of --explain */
	gemp_change_log *log; /* NULL: none is written */
} gemp_step_checkpoint;

/* Collective. Makes the folder, or reads what is in it: then *graph is freed and becomes the one that was kept, and
 * reports and history are those of the steps so far. What it is given lives as long as it. */
gemp_code gemp_step_checkpoint_open(gemp_step_checkpoint *kept, const gemp_comm *comm, const gemp_options *options,
                                    gemp_shard **graph);
void gemp_step_checkpoint_free(gemp_step_checkpoint *kept);

/* Local. The name of the log's file in this job; the caller frees (gemp_free). */
gemp_code gemp_step_checkpoint_log(gemp_step_checkpoint *kept, char **path);

/* Collective. Does a signal or --max-time end this job? */
bool gemp_step_checkpoint_stop(gemp_step_checkpoint *kept);
/* Collective. GEMP_STOPPED, with a message that says how to go on, once all is kept. graph: as it is for a file. */
gemp_code gemp_step_checkpoint_save(gemp_step_checkpoint *kept, gemp_shard *graph);

/* Sets `checkpoint` and `complete`. */
void gemp_step_checkpoint_report(gemp_report *report, const gemp_step_checkpoint *kept, bool complete);

/* Collective. All parts of the log, in one file at `path`. */
gemp_code gemp_step_checkpoint_join(const gemp_step_checkpoint *kept, const char *path);
/* Collective. Of a transformation that is done nothing is kept. */
gemp_code gemp_step_checkpoint_remove(const gemp_step_checkpoint *kept);

#endif
