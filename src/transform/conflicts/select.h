/* select: selects the matches of a step that are applied. They are applicable, free of conflicts, and numbered.
 *
 * A tuple of numbers identifies a match, independently of ids and ranks (match_order.h). The priority of a match is a
 * hash of its tuple, and matches are numbered in the order of tuples. Therefore the selected matches and the numbers of
 * new vertices do not depend on the number of ranks.
 *
 * inapplicable.h rejects matches, read_write_set.h and conflict_keys.h list conflict keys, and resolve.h decides. All
 * functions that take a runtime are collective. */

#ifndef GEMP_TRANSFORM_CONFLICTS_SELECT_H
#define GEMP_TRANSFORM_CONFLICTS_SELECT_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/rule.h"
#include "query/rows/frame.h"

typedef struct gemp_select_options {
	gemp_semantics semantics;
	const gemp_rule *unbound; /* the same rule without a graph; it also has the names that this graph lacks */
	uint64_t seed;            /* seed of the priorities of these matches */
	bool first_only;          /* only the match with the smallest priority is applied */
	bool numbered;            /* selected matches are numbered even if the rule creates no vertices */
	gemp_placement choose;    /* where conflicts are resolved */
} gemp_select_options;

/* Sums over all ranks. matches = applied + inapplicable + conflicts. With first_only, all applicable matches except the
 * selected one count as conflicts. */
typedef struct gemp_select_report {
	uint64_t matches, inapplicable, conflicts, applied;
	uint64_t rounds;         /* number of rounds of conflict resolution */
	bool on_device, on_host; /* conflicts were resolved there */
	gemp_traffic traffic;    /* what this rank has sent for that */
} gemp_select_report;

typedef struct gemp_selected {
	uint8_t *selected; /* [frame->rows] 1: the match is applied; 0: it is not */
	/* [frame->rows] number of a selected match among the selected matches of all ranks, in the order of tuples;
	 * NULL: not wanted */
	uint64_t *numbers;
} gemp_selected;

/* Collective. `frame` has the matches that this rank has found. The caller frees *out, also after an error. */
gemp_code gemp_select(gemp_selected *out, gemp_runtime *context, gemp_shard *graph, const gemp_rule *rule,
                      const gemp_frame *frame, const gemp_select_options *options, gemp_select_report *report);
void gemp_select_add(gemp_select_report *sum, const gemp_select_report *one);
void gemp_selected_free(gemp_selected *selected);

#endif
