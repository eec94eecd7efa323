/* plan_rows: the rows that patterns and plans read, as views of the graph. */

#ifndef GEMP_MATCH_PLANNER_PLAN_ROWS_H
#define GEMP_MATCH_PLANNER_PLAN_ROWS_H

#include "partition/views/view_lists.h"
#include "pattern/plan/plan.h"

/* The view of the graph that a view of a plan stands for. Its relations are borrowed. */
gemp_view_key gemp_plan_view_key(const gemp_plan_view *view);
/* Collective. Loads the rows that the plan's views read. */
gemp_code gemp_plan_load_rows(gemp_shard *graph, const gemp_plan *plan);

/* The view of a pattern edge, without edge numbers: from its first vertex or, if `back`, from its second one. */
gemp_view_key gemp_pattern_edge_key(const gemp_pattern *pattern, const gemp_pattern_edge *edge, bool back);
/* Collective. Loads all relations of the pattern's edges in both directions, with edge numbers unless the pattern is
 * simple. */
gemp_code gemp_pattern_load_relations(gemp_shard *graph, const gemp_pattern *pattern);

#endif
