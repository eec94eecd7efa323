/* select: the matches of a step that are applied: applicable, free of conflicts, and numbered.
 *
 * A match is identified by a tuple of numbers that does not depend on ids and ranks. Its priority is a hash of the tuple, and matches
 * are numbered in the order of tuples: the same matches are selected, and new vertices are numbered alike, on every number of ranks.
 *
 * inapplicable.h rejects, read_write_set.h and row_keys.h list conflict keys, resolve.h decides, conflict_keys.h orders. Tuples and
 * priorities are computed only when a step needs them. All functions that take a runtime are collective.
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_SELECT_H
#define GEMP_TRANSFORM_CONFLICTS_SELECT_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

typedef struct gemp_select_options {
	gemp_semantics semantics;
	const gemp_rule *unbound; /* the same rule, bound to no graph: also tells of attributes that this one lacks */
	uint64_t seed;            /* of the priorities of these matches */
	bool first_only;          /* only the match that comes first is applied */
	bool numbered;            /* numbers are wanted, though the rule may create no vertices */
	gemp_placement choose;    /* where conflicts are decided */
} gemp_select_options;

/* Of all ranks. matches = applied + inapplicable + conflicts; with `one`, conflicts are those that were not the first. */
typedef struct gemp_select_report {
	uint64_t matches, inapplicable, conflicts, applied;
	uint64_t rounds; /* of choosing */
} gemp_select_report;

typedef struct gemp_selected {
	uint8_t *selected; /* [frame->rows] 1: it is applied; else 0 */
	uint64_t *numbers; /* [frame->rows] of a selected match among those of all ranks, in the order of their keys; NULL:
	                      not wanted */
} gemp_selected;

/* Collective. frame: rows of the rule's matches that this rank found. The caller frees, also after an error. */
gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report);
void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one);
void gemp_selected_free(gemp_selected *selected);

#endif
