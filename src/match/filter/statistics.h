/* statistics: exact numbers of the edges and paths of the graph between candidates, by which the planner estimates.
 * They are kept with the graph, since counting reads all edges of a pattern edge's relations. */

#ifndef GEMP_MATCH_FILTER_STATISTICS_H
#define GEMP_MATCH_FILTER_STATISTICS_H

#include "match/filter/candidates.h"

/* Collective. Counts for each pattern edge the edges of the graph between candidates, and the paths of two such edges
 * that meet at a candidate of either end. Also finds whether parallel edges exist. The rows of each pattern edge from
 * its first vertex are loaded (gemp_pattern_edge_key). If its rows from the second vertex are not loaded, the number
 * of paths that meet at the target is estimated as if the edges were spread evenly over their targets. */
gemp_code gemp_statistics_new(gemp_statistics *out, gemp_runtime *context, gemp_shard *graph,
                              const gemp_pattern *pattern, const gemp_candidates *candidates);

/* The edges of an own vertex that are counted: its entries in `lists` that are candidates of `other`. */
typedef struct gemp_edge_question {
	const gemp_shard *graph;
	const gemp_candidates *candidates;
	const gemp_view_lists *lists;
	int other; /* a pattern vertex */
} gemp_edge_question;

/* Local. The number of these edges at own row v. Each of several parallel edges counts. */
uint64_t gemp_statistics_row(const gemp_edge_question *question, size_t v);

#endif
