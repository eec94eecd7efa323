/* planner: makes the plan of a connected pattern: matching order, checks, and restrictions that break symmetries.
 *
 * The order comes from matching_order.h, the checks from edge_checks.h. Symmetries are broken by order restrictions
 * along the matching order (Grochow and Kellis 2007) with orbits of the stabiliser chain. Deterministic, so that all
 * ranks make the same plan.
 */

#ifndef GEMP_PATTERN_PLAN_PLANNER_H
#define GEMP_PATTERN_PLAN_PLANNER_H

#include "pattern/plan/plan.h"
#include "pattern/symmetry/permutation_group.h"

/* edge_checks: the checks of edges that a step of the plan makes. Internal to src/pattern/plan.
 *
 * Checks are rows of an adjacency view: edges to vertices that are bound already, edges that induced matching forbids,
 * and EXISTS of a single edge. The view is chosen here, and equal views are shared. gemp_planner is the state of
 * planner.c and of this module.
 */

typedef struct gemp_planner {
	gemp_plan *plan;
	const gemp_pattern *pattern;
	const gemp_symmetry *symmetry;
	const gemp_statistics *statistics;
	const gemp_plan_options *options;
	uint64_t bound;      /* pattern vertices */
	uint64_t done_edges; /* pattern edges bound or checked */
	uint64_t repeatable; /* pattern vertices that may have the image of another */
} gemp_planner;

/* pattern must be connected (or each component joined to an argument), else GEMP_EUSAGE. The caller frees *out by
 * gemp_plan_free. */
gemp_code gemp_plan_new(gemp_plan **out, const gemp_pattern *pattern, const gemp_symmetry *symmetry,
                        const gemp_statistics *statistics, const gemp_plan_options *options);

#endif
