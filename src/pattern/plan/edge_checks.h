/* edge_checks: the state of the planner, and the checks of edges that a step makes: edges to bound vertices, edges
 * that induced matching forbids, EXISTS of one edge. Internal to src/pattern/plan.
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
	uint64_t repeatable; /* pattern vertices that may be any others too */
} gemp_planner;

/* Pattern edges that may be the same host edge as e, and must not. */
uint64_t gemp_plan_edge_conflicts(const gemp_planner *planner, size_t e);
/* Edges get slots all or none: a tuple then names all of the match, and an automorphism moves slots to slots. */
uint64_t gemp_plan_live_edges(const gemp_planner *planner);

/* CHECKS. The view in which row(at) names the other end of the edge. */
gemp_code gemp_plan_edge_view(gemp_planner *planner, const gemp_pattern_edge *edge, int at, int *index);
gemp_code gemp_plan_add_check(gemp_step *step, int from, int to, int view, int edge, bool absent);
/* Edges that induced matching forbids, and edges that the query wants to be there or not, between v and what is bound. */
gemp_code gemp_plan_test_edges(gemp_planner *planner, gemp_step *step, int v);

#endif
