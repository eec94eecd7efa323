/* order_search: the order of binding that promises the least work, by samples of all orders.
 *
 * Orders are prefixes that grow, the cheapest so far first (uniform-cost search), so that the first whole one is the
 * best as far as the samples tell. Of vertices that an automorphism exchanges one is tried, and of prefixes that bind
 * the same vertices only those stay that cost less or leave fewer partial matches. Sampling is collective, and all
 * ranks decide alike.
 */

#ifndef GEMP_MATCH_PLANNER_ORDER_SEARCH_H
#define GEMP_MATCH_PLANNER_ORDER_SEARCH_H

#include "match/planner/sample.h"
#include "pattern/symmetry/permutation_group.h"

/* Larger patterns keep the order that estimates give: there are too many. */
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
	double rows;    /* partial matches that estimates promise, of all steps */
	uint64_t reads; /* entries and lookups that the search may cost, about; 0: a share of the work that the order has */
	bool walk_latest; /* every row is resident: kernels walk the row of the latest vertex and mark the others */
	/* candidates are listed as soon as they can be, and twins at the end are counted (match/codegen/nested_shape.h) */
	bool lists;
	gemp_sample_work
		*work; /* [GEMP_MAX_STEPS] filled with what samples say of each step of the plan in the order that comes out
	                           of it, unless nothing was sampled; NULL: not wanted */
} gemp_order_inputs;

/* Collective. order[vertex_count]: one to improve on, replaced if found; it is not where so little work is not worth a
 * search. */
gemp_code gemp_order_search(const gemp_order_inputs *question, int *order, bool *found);

#endif
