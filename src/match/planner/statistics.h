/* statistics: what the planner knows of the graph, counted exactly: host edges between candidates, pattern edge by pattern
 * edge. */

#ifndef GEMP_MATCH_PLANNER_STATISTICS_H
#define GEMP_MATCH_PLANNER_STATISTICS_H

#include "match/filter/candidates.h"
#include "pattern/plan/plan.h"

/* Collective. The parts of the pattern's relations are loaded; where there are no rows by target, edges are taken to be spread
 * evenly over their targets. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates);

#endif
