/* step: one application of a rule: its matches are found, a set of them without conflicts is chosen, and all of these
 * are applied at once. */
#ifndef GEMP_TRANSFORM_STEP_H
#define GEMP_TRANSFORM_STEP_H

#include "match/match.h"
#include "pattern/rule.h"
#include "transform/choose.h"
#include "transform/effects.h"
#include "transform/record.h"
#include "transform/rematch.h"

typedef struct gemp_step_options {
	gemp_match_options match; /* what the user chose */
	uint64_t combinations;    /* as gemp_query_options has it */
	uint64_t seed;            /* of priorities */
	bool string_keys;         /* as gemp_builder_options has it */
	uint64_t number;          /* of the step */
	bool one;                 /* only the match that comes first is applied */
	gemp_choose_on choose;    /* where conflicts are decided */
	gemp_recorder *recorder;  /* is told what becomes of the graph; NULL: nobody is */
	const gemp_rules *written; /* the same rules, bound to no graph: also tell of attributes that the graph does not have yet */
	gemp_rematch *rematch;    /* of the steps before; NULL: all matches are looked for */
	gemp_kept_order *order;   /* of the rule; NULL: it is looked for */
} gemp_step_options;

/* Of all ranks. matches = applied + blocked + conflicts; with `one`, conflicts are those that were not the first. */
typedef struct gemp_step_report {
	uint64_t matches, blocked, conflicts, applied;
	uint64_t rounds; /* of choosing */
	gemp_rematch_report rematch;
	gemp_effects effects;
	double seconds;  /* set by gemp_transform */
} gemp_step_report;

/* Collective. rules->rules[rule] is bound to *graph. Where a match was applied, *graph becomes the new graph, whose
 * ids are not those that a file has (gemp_graph_canonical); after an error it is good for gemp_graph_free only. */
gemp_code gemp_step(gemp_graph **graph, gemp_context *context, const gemp_rules *rules, size_t rule,
                    const gemp_step_options *options, gemp_step_report *report);

#endif
