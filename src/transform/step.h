/* step: one application of a rule: its matches are found, a set of them without conflicts is chosen, and all of these
 * are applied at once. */
#ifndef GEMP_TRANSFORM_STEP_H
#define GEMP_TRANSFORM_STEP_H

#include "changelog/record.h"
#include "choice/select.h"
#include "match/match.h"
#include "pattern/rule.h"
#include "rematch/rematch.h"
#include "transform/effects.h"

typedef struct gemp_step_options {
	gemp_match_options match; /* what the user chose */
	uint64_t combinations;    /* as gemp_query_options has it */
	uint64_t seed;            /* of the priorities of all steps */
	bool string_keys;         /* as gemp_builder_options has it */
	uint64_t number;          /* of the step */
	bool one;                 /* only the match that comes first is applied */
	gemp_choose_on choose;    /* where conflicts are decided */
	gemp_recorder *recorder;  /* is told what becomes of the graph; NULL: nobody is */
	const gemp_rules *written; /* the same rules, bound to no graph (gemp_select_options) */
	gemp_rematch *rematch;    /* of the steps before; NULL: all matches are looked for */
	gemp_kept_order *order;   /* of the rule; NULL: it is looked for */
} gemp_step_options;

/* Of all ranks. */
typedef struct gemp_step_report {
	gemp_select_report select;
	gemp_rematch_report rematch;
	gemp_effects effects;
	double seconds;  /* set by gemp_transform */
} gemp_step_report;

/* Collective. rules->rules[rule] is bound to *graph. Where a match was applied, *graph becomes the new graph, whose
 * ids are not those that a file has (gemp_graph_canonical); after an error it is good for gemp_graph_free only. */
gemp_code gemp_step(gemp_graph **graph, gemp_context *context, const gemp_rules *rules, size_t rule,
                    const gemp_step_options *options, gemp_step_report *report);

#endif
