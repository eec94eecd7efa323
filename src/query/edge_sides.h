/* edge_sides: what all ends of the edges of some types have in common. Sums (src/count) know neither labels nor
 * directions, and can then count patterns that have both.
 *
 * - A label test is implied if every vertex of the graph at this end of such an edge passes it, as in
 *   (p:Person)-[:ACTS_IN]->(m:Movie) if only people act, and only in movies.
 * - A pattern is two-sided if its edges have a direction, each of its vertices is only a source or only a target, and
 *   an automorphism of the undirected pattern exchanges sources and targets. If in the graph, too, no vertex is both a
 *   source and a target, then the pattern without directions has each match twice: as it is, and with exchanged sides.
 *
 * Both are properties of embeddings, not of orbits under the automorphisms of a pattern with labels. */

#ifndef GEMP_QUERY_EDGE_SIDES_H
#define GEMP_QUERY_EDGE_SIDES_H

#include "graph/graph.h"
#include "partition/runtime.h"
#include "pattern/model/pattern.h"

typedef struct gemp_edge_sides {
	bool implied;   /* all conditions are label tests, and all edges imply them */
	bool two_sided; /* the pattern and the graph's edges of its types are two-sided */
} gemp_edge_sides;

/* Returns what the pattern alone allows. All its edges must have the same types. */
gemp_edge_sides gemp_edge_sides_of_pattern(const gemp_pattern *pattern);

/* Collective. Clears the members of *sides that the graph does not have. It loads labels and the rows of the first
 * edge's types in both directions. */
gemp_code gemp_edge_sides_check(gemp_edge_sides *sides, gemp_runtime *context, gemp_shard *graph,
                                const gemp_pattern *pattern);

#endif
