/* order_search: finds the order of binding that needs the least work according to samples.
 *
 * The search extends prefixes of orders. It always extends the prefix with the lowest cost so far (uniform-cost search,
 * a special case of Dijkstra 1959), so the first complete order is the best order by the samples. Of the pattern
 * vertices that automorphisms map to one another, only one is tried at each place of an order. If two prefixes bind the
 * same vertices, a prefix is dropped if it costs more and leaves more partial matches than the other prefix. Sampling
 * is collective, and all ranks decide alike. */

#ifndef GEMP_MATCH_PLANNER_ORDER_SEARCH_H
#define GEMP_MATCH_PLANNER_ORDER_SEARCH_H

#include "match/planner/sample.h"
#include "pattern/symmetry/permutation_group.h"

/* Larger patterns have too many orders, so they keep the planner's order. */
enum { GEMP_MAX_SEARCHED = 8 };

typedef struct gemp_order_inputs {
	gemp_runtime *context;
	gemp_shard *graph;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_candidates *candidates;
	const gemp_plan_options *options;
	const uint32_t *key_rank;
	double rows;      /* sum of the partial matches of all steps, as the planner estimated */
	uint64_t reads;   /* about how many entries and lookups the search may cost; 0: a fraction of the order's work */
	bool walk_latest; /* all rows are resident: kernels walk the row of the latest vertex and mark the other rows */
	bool lists;       /* kernels list candidates early and count twins by a formula (match/codegen/nested_shape.h) */
	/* [GEMP_MAX_STEPS] becomes the sampled work of each step under the resulting order; unchanged if nothing was
	 * sampled; NULL if the caller does not need it */
	gemp_sample_work *work;
} gemp_order_inputs;

/* Collective. If a better order is found, order[vertex_count] is replaced and *found is true. No order is searched for
 * if the work is too small to pay for the search. */
gemp_code gemp_order_search(const gemp_order_inputs *question, int *order, bool *found);

#endif
