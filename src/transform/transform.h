/* transform: rewrites a graph by rules, as their control program says: sequences, choices, repetitions and
 * attempts of single steps (step.h).
 *
 * The run is deterministic: which step succeeded is all that later control depends on, so a history of one byte a
 * step lets a run continue from a checkpoint.
 */

#ifndef GEMP_TRANSFORM_TRANSFORM_H
#define GEMP_TRANSFORM_TRANSFORM_H

#include "pattern/model/source.h"
#include "transform/step.h"

/* What became of each step so far. Given to gemp_transform with steps of an earlier run, with the graph that these
 * made, it goes on behind them. */
typedef struct gemp_transform_history {
	uint64_t count;
	size_t capacity;
	uint8_t *applied;     /* [count] 1: a match was changed */
} gemp_transform_history; /* {0} is an empty one; gemp_free(applied) */

typedef struct gemp_transform_options {
	gemp_step_options step; /* number and `one` are set here */
	uint64_t max_steps;     /* then it ends with an error */
	const gemp_query_parameter *parameters;
	size_t parameter_count;
	bool lenient;     /* of the first look at the rules */
	bool rematch_all; /* each step looks for all matches, not only for those near changes */
	/* Collective, after each step; NULL: nobody asks. */
	void (*on_step)(void *self, const gemp_rule *rule, uint64_t step, const gemp_step_report *report);
	/* Collective, before each step but the first of this run: what is not GEMP_OK ends the run, and
	 * then the graph may be another one.
	 * NULL: nobody asks. */
	gemp_code (*before_step)(void *self, gemp_shard **graph, const gemp_transform_history *history);
	void *self;
} gemp_transform_options;

/* Of one rule, over all steps. */
typedef struct gemp_rule_report {
	uint64_t steps;
	gemp_select_report select;
	gemp_effects effects;
	double seconds;
} gemp_rule_report;

/* Collective. *graph becomes what the rules make of it; the rules are bound to it first, so that names that are not
 * there are found. reports[rules->count] are added to, and history goes on, also where it ends early. */
gemp_code gemp_transform(gemp_shard **graph, gemp_runtime *context, gemp_rule_set *rules,
                         const gemp_transform_options *options, gemp_rule_report *reports,
                         gemp_transform_history *history);

#endif
