/* transform: rewrites a graph by rules, as their control program says: sequences, choices, repetitions and attempts of
 * single steps. A step is one application of one rule: its matches are found, a maximal set of matches without
 * conflicts is selected, and all selected matches are applied at once.
 *
 * The run is deterministic. Later control depends only on which steps have applied, so a history of one byte for each
 * step lets a run continue from a checkpoint.
 */

#ifndef GEMP_TRANSFORM_TRANSFORM_H
#define GEMP_TRANSFORM_TRANSFORM_H

#include "pattern/model/source.h"
#include "transform/changelog/record.h"
#include "transform/conflicts/select.h"
#include "transform/incremental/match_cache.h"

/* How much a step changes, over all ranks. A vertex that is merged into another counts as deleted. `set` counts the
 * updates of attributes, labels and types of matched elements, once for each update of an element. */
typedef struct gemp_effects {
	uint64_t created_vertices, created_edges, deleted_vertices, deleted_edges, set;
} gemp_effects;

/* A step, over all ranks. */
typedef struct gemp_step_report {
	gemp_select_report select;
	gemp_match_cache_report cache;
	gemp_effects effects;
	double seconds;
} gemp_step_report;

/* For each step so far, whether it has applied. A run whose history has steps of an earlier run, and whose graph is the
 * one that these steps made, continues after them. */
typedef struct gemp_transform_history {
	uint64_t count;
	size_t capacity;
	uint8_t *applied;     /* [count] 1: the step changed at least one match */
} gemp_transform_history; /* {0} is an empty one; gemp_free(applied) */

typedef struct gemp_transform_options {
	gemp_match_options match; /* the user's; the rules set what follows from them */
	uint64_t combinations;    /* as gemp_prepared_options has it */
	uint64_t seed;            /* of the priorities of all steps */
	bool string_keys;         /* as gemp_builder_options has it */
	gemp_placement choose;    /* where conflicts are resolved */
	gemp_recorder *recorder;  /* records every change; NULL: no log is written */
	uint64_t max_steps;       /* a run that needs more steps fails */
	const gemp_query_parameter *parameters;
	size_t parameter_count;
	bool lenient;     /* names that the graph lacks at the start of the run are warnings, not errors */
	bool rematch_all; /* each step searches the whole graph, not only the neighbourhood of changes */
	/* Collective, after each step; NULL: no call. */
	void (*on_step)(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *report);
	/* Collective, before each step but the first of this run. A code other than GEMP_OK ends the run; only then may the
	 * call replace the graph. NULL: no call. */
	gemp_code (*before_step)(void *self, gemp_shard **graph, const gemp_transform_history *history);
	void *self; /* of both calls */
} gemp_transform_options;

/* One rule, over all its steps. */
typedef struct gemp_rule_report {
	uint64_t steps;
	gemp_select_report select;
	gemp_effects effects;
	double seconds;
} gemp_rule_report;

/* Collective. *graph becomes the rewritten graph, whose ids are not those that a file has (gemp_shard_canonical); after
 * an error it is good for gemp_shard_free only. At the start of a run the rules are bound to the graph, which finds
 * names that the graph lacks. reports[rules->count] are added to; history has all steps that were taken, also after an
 * error. */
gemp_code gemp_transform(gemp_shard **graph, gemp_runtime *context, gemp_rule_set *rules,
                         const gemp_transform_options *options, gemp_rule_report *reports,
                         gemp_transform_history *history);

#endif
