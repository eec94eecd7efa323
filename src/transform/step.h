/* step: one application of a rule. Its matches are found, a maximal set of them without conflicts is selected, and
 * all selected matches are applied at once. */

#ifndef GEMP_TRANSFORM_STEP_H
#define GEMP_TRANSFORM_STEP_H

#include "transform/changelog/record.h"
#include "transform/conflicts/select.h"
#include "transform/incremental/match_cache.h"

/* effects: how much a step changes. */

/* How much a step changes, over all ranks. A vertex that is merged into another counts as deleted; `set` counts
 * attributes set or removed, labels and types, once for every update of an element. */
typedef struct gemp_effects {
	uint64_t created_vertices, created_edges, deleted_vertices, deleted_edges, set;
} gemp_effects;

void gemp_effects_add(gemp_effects *sum, const gemp_effects *one);

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

/* Collective. rules->rules[rule] is bound to *graph. Where a match was applied, *graph becomes the new graph, whose
 * ids are not those that a file has (gemp_shard_canonical); after an error it is good for gemp_shard_free only. */
gemp_code gemp_rule_step(gemp_shard **graph, gemp_runtime *context, const gemp_rule_set *rules, size_t rule,
                         const gemp_step_options *options, gemp_step_report *report);

#endif
