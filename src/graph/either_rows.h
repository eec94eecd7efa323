/* either_rows: the rows of a relation in both directions, merged. Local.
 *
 * Row v of `either` has the targets of the edges from v and the sources of the edges to v, in ascending order. A loop
 * (v, v) is in it once, parallel edges are in it as often as they are. The rows have no edge numbers.
 *
 * Undirected edges without attributes have no direction that matters, but they are numbered by their sources. Graph
 * files, the builder and renumbered graphs store each of them in the direction of gemp_edge_leads. Then the rows by
 * source and by target of a vertex can be made from its merged row alone. */

#ifndef GEMP_GRAPH_EITHER_ROWS_H
#define GEMP_GRAPH_EITHER_ROWS_H

#include "graph/graph.h"

/* Makes the merged rows from the rows by source and by target, which are loaded and stay. Needs as much memory as the
 * merged rows themselves. */
gemp_code gemp_relation_merge_rows(const gemp_shard *graph, gemp_relation *relation);

/* Whether an undirected edge {u, v} without attributes leads from u to v: from the smaller to the greater id if their
 * difference is even, and otherwise from the greater to the smaller. So a rank with low ids has as many edges as one
 * with high ids. A loop leads from its vertex to it. */
static inline bool gemp_edge_leads(gemp_vertex u, gemp_vertex v)
{
	return u == v || (u < v) == (((u ^ v) & 1) == 0);
}

/* Undirected, without attributes, and free to turn. */
bool gemp_relation_is_symmetric(const gemp_relation *relation);

/* Makes those of the rows by source and by target that are in `parts` from the merged rows of a symmetric relation, and
 * replaces older ones. */
gemp_code gemp_relation_split_rows(const gemp_shard *graph, gemp_relation *relation, unsigned parts);
/* The number of edges that gemp_relation_split_rows finds at their sources. */
gemp_count gemp_relation_own_edges(const gemp_shard *graph, const gemp_relation *relation);

#endif
