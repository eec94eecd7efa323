/* statistics: what the planner knows of the graph, counted exactly: host edges between candidates, for each pattern
 * edge, and the paths of two such edges.
 */

#ifndef GEMP_MATCH_PLANNER_STATISTICS_H
#define GEMP_MATCH_PLANNER_STATISTICS_H

#include "match/filter/candidates.h"
#include "pattern/plan/plan.h"

/* Collective. The parts of the pattern's relations are loaded; where there are no rows by target, edges are taken to be spread
 * evenly over their targets. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates);

/* Which edges of an own vertex are counted: those of these relations, out of it or into it, to candidates of `other`. */
typedef struct gemp_edge_question {
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	const bool *relations;
	int other; /* pattern vertex */
	bool out, in;
} gemp_edge_question;

/* Local. Their number in own row v. */
uint64_t gemp_statistics_row(const gemp_edge_question *question, size_t v);

#endif
