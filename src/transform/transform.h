/* transform: rewrites a graph by rules, as their control program says: sequences, choices, repetitions and
 * attempts of single steps. A step is one application of a rule: its matches are found, a maximal set of them without conflicts is
 * selected, and all selected matches are applied at once.
 *
 * The run is deterministic: which step succeeded is all that later control depends on, so a history of one byte a
 * step lets a run continue from a checkpoint.
 */

#ifndef GEMP_TRANSFORM_TRANSFORM_H
#define GEMP_TRANSFORM_TRANSFORM_H

#include "pattern/model/source.h"
#include "transform/changelog/record.h"
#include "transform/conflicts/select.h"
#include "transform/incremental/match_cache.h"

/* How much a step changes, over all ranks. A vertex that is merged into another counts as deleted; `set` counts
 * attributes set or removed, labels and types, once for every update of an element. */
typedef struct gemp_effects {
	uint64_t created_vertices, created_edges, deleted_vertices, deleted_edges, set;
} gemp_effects;

typedef struct gemp_step_options {
	gemp_match_options match;     /* what the user chose */
	uint64_t combinations;        /* as gemp_prepared_options has it */
	uint64_t seed;                /* of the priorities of all steps */
	bool string_keys;             /* as gemp_builder_options has it */
	uint64_t number;              /* of the step */
	bool first_only;              /* only the match that comes first is applied */
	gemp_placement choose;        /* where conflicts are decided */
	gemp_recorder *recorder;      /* is told what becomes of the graph; NULL: nobody is */
	const gemp_rule_set *unbound; /* the same rules, bound to no graph (gemp_select_options) */
	gemp_match_cache *rematch;    /* of the steps before; NULL: all matches are looked for */
	gemp_cached_order *order;     /* of the rule; NULL: it is looked for */
} gemp_step_options;

/* Of all ranks. */
typedef struct gemp_step_report {
	gemp_select_report select;
	gemp_match_cache_report rematch;
	gemp_effects effects;
	double seconds; /* set by gemp_transform */
} gemp_step_report;

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
