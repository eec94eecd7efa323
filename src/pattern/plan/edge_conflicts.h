/* edge_conflicts: the edges of a pattern that a match must tell apart.
 *
 * Two pattern edges must have different images, under iso because of their ends and under edge-iso always, but mostly
 * they could not have the same image anyway: their types differ, or their ends do. Only the other pairs are conflicts,
 * for which a plan must bind edges and compare them. Local. */

#ifndef GEMP_PATTERN_PLAN_EDGE_CONFLICTS_H
#define GEMP_PATTERN_PLAN_EDGE_CONFLICTS_H

#include "pattern/plan/plan.h"

typedef struct gemp_edge_conflicts {
	uint64_t of[GEMP_MAX_PATTERN_EDGES];         /* [edge] the edges with which it has a conflict, as bits */
	uint64_t unequal[GEMP_MAX_PATTERN_VERTICES]; /* [vertex] vertices with another image, in place of conflicts */
	bool any;
} gemp_edge_conflicts;

/* repeatable: vertices that may have the image of another vertex under iso. */
void gemp_edge_conflicts_find(gemp_edge_conflicts *out, const gemp_pattern *pattern, const gemp_statistics *statistics,
                              const gemp_plan_options *options, uint64_t repeatable);

#endif
