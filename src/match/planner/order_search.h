/* order_search: finds the order of binding that needs the least work according to samples.
 *
 * The search extends prefixes of orders, the one with the lowest cost so far first (uniform-cost search, a special case
 * of Dijkstra 1959), so the first complete order is the best one by the samples. Of vertices that an automorphism
 * exchanges only one is tried. Of prefixes that bind the same vertices, those stay that cost less or leave fewer
 * partial matches. Sampling is collective, and all ranks decide alike.
 */

#ifndef GEMP_MATCH_PLANNER_ORDER_SEARCH_H
#define GEMP_MATCH_PLANNER_ORDER_SEARCH_H

#include "match/planner/sample.h"
#include "pattern/symmetry/permutation_group.h"

/* Larger patterns have too many orders and keep the one that the planner has estimated. */
enum { GEMP_MAX_SEARCHED = 8 };

typedef struct gemp_order_inputs {
	gemp_runtime *context;
	const gemp_shard *graph;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_candidates *candidates;
	const gemp_plan_options *options;
	const uint32_t *key_rank;
	double rows;      /* partial matches of all steps, as the planner estimated */
	uint64_t reads;   /* about how many entries and lookups the search may cost; 0: a part of the order's work */
	bool walk_latest; /* every row is resident: kernels walk the row of the latest vertex and mark the others */
	bool lists;       /* kernels list candidates early and count twins at the end (match/codegen/nested_shape.h) */
	/* [GEMP_MAX_STEPS] becomes the sampled work of each step under the resulting order, unless nothing was sampled;
	 * NULL: not wanted */
	gemp_sample_work *work;
} gemp_order_inputs;

/* Collective. order[vertex_count] is replaced by a better one if *found. Nothing is found where the work is too small
 * to be worth a search. */
gemp_code gemp_order_search(const gemp_order_inputs *question, int *order, bool *found);

#endif
