/* select: the matches of a step that are applied: applicable, free of conflicts, and numbered.
 *
 * A match is identified by a tuple of numbers that does not depend on ids and ranks (match_order.h). Its priority is a
 * hash of the tuple, and matches are numbered in the order of tuples. So the same matches are selected, and new
 * vertices are numbered alike, on every number of ranks.
 *
 * inapplicable.h rejects, read_write_set.h and conflict_keys.h list conflict keys, resolve.h decides. All functions
 * that take a runtime are collective.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_SELECT_H
#define GEMP_TRANSFORM_CONFLICTS_SELECT_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

typedef struct gemp_select_options {
	gemp_semantics semantics;
	const gemp_rule *unbound; /* the same rule, bound to no graph: it also has the names that this graph lacks */
	uint64_t seed;            /* of the priorities of these matches */
	bool first_only;          /* only the match that comes first is applied */
	bool numbered;            /* selected matches are numbered even if the rule creates no vertices */
	gemp_placement choose;    /* where conflicts are resolved */
} gemp_select_options;

/* Sums over all ranks. matches = applied + inapplicable + conflicts; with first_only, all applicable matches but the
 * first are conflicts. */
typedef struct gemp_select_report {
	uint64_t matches, inapplicable, conflicts, applied;
	uint64_t rounds; /* of conflict resolution */
} gemp_select_report;

typedef struct gemp_selected {
	uint8_t *selected; /* [frame->rows] 1: the match is applied; else 0 */
	uint64_t *
		numbers; /* [frame->rows] the number of a selected match among those of all ranks, in the order of tuples; NULL:
	                      not wanted */
} gemp_selected;

/* Collective. frame: the matches that this rank found. The caller frees *out, also after an error. */
gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report);
void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one);
void gemp_selected_free(gemp_selected *selected);

#endif
