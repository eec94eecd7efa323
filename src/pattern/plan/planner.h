/* planner: makes the plan of a connected pattern: matching order, checks, and restrictions that break symmetries.
 *
 * The order comes from matching_order.h. Each step binds a vertex or an edge, and checks what is known by then: edges
 * to vertices that are bound already, edges that induced matching forbids, and EXISTS of a single edge. A check reads
 * the row of one end in an adjacency view, and equal views are shared. Symmetries are broken by order restrictions
 * along the matching order (Grochow and Kellis 2007) with orbits of the stabiliser chain. All ranks make the same plan,
 * since nothing in it depends on the rank.
 */

#ifndef GEMP_PATTERN_PLAN_PLANNER_H
#define GEMP_PATTERN_PLAN_PLANNER_H

#include "pattern/plan/plan.h"
#include "pattern/symmetry/permutation_group.h"

/* GEMP_EUSAGE unless the pattern is connected, or has arguments and each component contains one of them. The caller
 * frees *out by gemp_plan_free. */
gemp_code gemp_plan_new(gemp_plan **out, const gemp_pattern *pattern, const gemp_symmetry *symmetry,
                        const gemp_statistics *statistics, const gemp_plan_options *options);

#endif
