/* edge_checks: the checks of edges that a step of the plan makes. Internal to src/pattern/plan.
 *
 * Checks are rows of an adjacency view: edges to vertices that are bound already, edges that induced matching forbids,
 * and EXISTS of a single edge. The view is chosen here, and equal views are shared. gemp_planner is the state of
 * planner.c and of this module.
 */

#ifndef GEMP_PATTERN_PLAN_EDGE_CHECKS_H
#define GEMP_PATTERN_PLAN_EDGE_CHECKS_H

#include "pattern/plan/plan.h"
#include "pattern/symmetry/permutation_group.h"

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

/* Pattern edges that may be the same host edge as e, and must not. */
uint64_t gemp_plan_edge_conflicts(const gemp_planner *planner, size_t e);
/* Either all edges get slots or none does: a tuple then describes the whole match, and an automorphism maps slots to slots. */
uint64_t gemp_plan_live_edges(const gemp_planner *planner);

/* CHECKS. The view in which row(at) names the other end of the edge. */
gemp_code gemp_plan_edge_view(gemp_planner *planner, const gemp_pattern_edge *edge, int at, int *index);
gemp_code gemp_plan_add_check(gemp_step *step, int from, int to, int view, int edge, bool absent);
/* Checks between v and the bound vertices: edges that induced matching forbids, and [NOT] EXISTS of an edge. */
gemp_code gemp_plan_test_edges(gemp_planner *planner, gemp_step *step, int v);

#endif
