/* kept_steps: a transformation that can be stopped between two steps and gone on with: the graph so far, what became of
 * each step, the reports of rules and the change log so far are kept in the folder of --checkpoint (command/keeping.h).
 * The graph that comes out is the same, also with another number of ranks. */
#ifndef GEMP_COMMAND_KEPT_STEPS_H
#define GEMP_COMMAND_KEPT_STEPS_H

#include "command/change_log.h"
#include "command/keeping.h"
#include "command/report.h"
#include "command/stop.h"
#include "transform/transform.h"

/* The same on all ranks. */
typedef struct gemp_kept_steps {
	const gemp_comm *comm;
	const gemp_options *options;
	gemp_keeping keeping;
	double began;            /* gemp_now() when the job did */
	gemp_stop stop;          /* what ends it */
	uint64_t runs;           /* jobs that have worked on it, this one included */
	double seconds;          /* that those before this one spent */
	char *graph;             /* name of the kept file; NULL: none is kept yet */
	size_t log_count, log_capacity;
	char **logs;             /* [log_count] names of the log's parts, that of this job included */
	/* What is kept is made of, and goes to: */
	const gemp_rules *rules;
	gemp_rule_report *reports;
	gemp_transform_history *history;
	json_t *steps;           /* of --explain */
	gemp_change_log *log;    /* NULL: none is written */
} gemp_kept_steps;

/* Collective. Makes the folder, or reads what is in it: then *graph is freed and becomes the one that was kept, and
 * reports and history are those of the steps so far. What it is given lives as long as it. */
gemp_code gemp_kept_steps_open(gemp_kept_steps *kept, const gemp_comm *comm, const gemp_options *options,
                               gemp_graph **graph);
void gemp_kept_steps_free(gemp_kept_steps *kept);

/* Local. The name of the log's file in this job; the caller frees (gemp_free). */
gemp_code gemp_kept_steps_log(gemp_kept_steps *kept, char **path);

/* Collective. Does a signal or --max-time end this job? */
bool gemp_kept_steps_stop(gemp_kept_steps *kept);
/* Collective. GEMP_STOPPED, with a message that says how to go on, once all is kept. graph: as it is for a file. */
gemp_code gemp_kept_steps_keep(gemp_kept_steps *kept, gemp_graph *graph);

/* Sets `checkpoint` and `complete`. */
void gemp_kept_steps_report(gemp_report *report, const gemp_kept_steps *kept, bool complete);

/* Collective. All parts of the log, in one file at `path`. */
gemp_code gemp_kept_steps_join(const gemp_kept_steps *kept, const char *path);
/* Collective. Of a transformation that is done nothing is kept. */
gemp_code gemp_kept_steps_remove(const gemp_kept_steps *kept);

#endif
