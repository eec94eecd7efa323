/* interpreter: answers a plan on the host's threads, without a device and without a kernel that must be compiled first.
 *
 * Each rank searches from its own pivots or seeds, over rows of all vertices (host_rows.h). Every thread has a walker
 * (walk.h), which takes tasks from a common counter. A run consists of rounds: the walkers work until their rows are
 * full or the time of the round is over, then the rows go to the sink, then the ranks end the round together.
 *
 * A bounded run has a budget of work. It delivers nothing before all ranks have found everything: if a rank spends the
 * budget or has no place for a row, all rows are dropped, and the caller can search in another way from the start. */

#ifndef GEMP_MATCH_INTERPRET_INTERPRETER_H
#define GEMP_MATCH_INTERPRET_INTERPRETER_H

#include "graph/batch.h"
#include "match/filter/candidates.h"
#include "match/interpret/group_walk.h"

typedef struct gemp_interpreter gemp_interpreter;

typedef struct gemp_interpreter_options {
	bool serial;              /* one thread searches, since little work is expected */
	bool listed;              /* matches go to a sink, and are not only counted */
	bool first_only;          /* one row of each task is enough */
	uint64_t per;             /* pattern vertices at whose images matches are counted */
	uint64_t max_rows;        /* rows that a walker stores in a round that is not bounded; 0: a default */
	const uint32_t *key_rank; /* [vertices] by id, if plan->keys */
	/* the groups that rows are to be, for a plan that is suited (group_walk.h); borrowed; NULL: each match is a row */
	const gemp_group_request *groups;
} gemp_interpreter_options;

/* Collective. Makes the rows. All arguments except the options are borrowed, and so is key_rank. */
gemp_code gemp_interpreter_new(gemp_interpreter **out, gemp_runtime *context, gemp_shard *graph, const gemp_plan *plan,
                               const gemp_candidates *candidates, const gemp_interpreter_options *options);
void gemp_interpreter_free(gemp_interpreter *interpreter); /* collective over the ranks of a node; takes NULL */
GEMP_RELEASE(gemp_interpreter_free, gemp_interpreter *)

/* Local. Sets the seeds of the next runs, for plans with given vertices: ids[count][arguments], borrowed. */
void gemp_interpreter_seed(gemp_interpreter *interpreter, const gemp_vertex *ids, size_t count);
/* Local. Restricts the next runs to pivots whose ids are, modulo `of`, in [first, first + count). */
void gemp_interpreter_part(gemp_interpreter *interpreter, uint32_t first, uint32_t count, uint32_t of);

typedef struct gemp_interpreter_result {
	bool gave_up;  /* a bounded run needed more than its budget: nothing was delivered */
	bool complete; /* false: the sinks had enough rows */
	uint64_t rounds;
} gemp_interpreter_result;

/* Collective. Runs from all pivots or seeds. sink is NULL if matches are only counted. bounded: see above. */
gemp_code gemp_interpreter_run(gemp_interpreter *interpreter, gemp_sink *sink, bool bounded,
                               gemp_interpreter_result *result);

/* Local. Matches of the last run, and pivots or seeds, of this rank. */
uint64_t gemp_interpreter_found(const gemp_interpreter *interpreter);
uint64_t gemp_interpreter_tasks(const gemp_interpreter *interpreter);
/* Local. Adds, for each step of the plan, the partial matches that passed it, entries and lookups of all runs. */
void gemp_interpreter_profile(const gemp_interpreter *interpreter, uint64_t *rows, uint64_t *entries,
                              uint64_t *lookups);
/* Local. The matches at each vertex of the graph, by id, that this rank has found: adds to counts[vertices]. */
void gemp_interpreter_vertex_counts(const gemp_interpreter *interpreter, uint64_t *counts);
/* True if the rows are groups. */
bool gemp_interpreter_groups(const gemp_interpreter *interpreter);
/* True if order restrictions compare ids; otherwise they compare slots, as on devices. */
bool gemp_interpreter_by_id(const gemp_interpreter *interpreter);

#endif
