/* graph_diff: a small graph before and after a transformation as one Graphviz drawing. Deleted elements are red,
 * created ones green, and elements with other labels or attributes amber.
 *
 * Vertices are identified by their keys, edges by their type and the keys of their ends. Every rank holds both graphs
 * as a whole, so each may have at most GEMP_GRAPH_DIFF_MAX vertices and edges.
 */

#ifndef GEMP_TRANSFORM_GRAPH_DIFF_H
#define GEMP_TRANSFORM_GRAPH_DIFF_H

#include "graph/graph.h"
#include "partition/runtime.h"

enum { GEMP_GRAPH_DIFF_MAX = 2000 }; /* vertices and edges of a graph that is drawn */

/* A graph as keys and texts, the same on every rank. {0} is an empty graph. */
typedef struct gemp_graph_diff_side {
	void *bytes; /* [size] that keys and texts point into */
	size_t size;
	size_t vertex_count, edge_count;
	struct gemp_graph_diff_vertex *vertices; /* [vertex_count] by key */
	struct gemp_graph_diff_edge *edges;      /* [edge_count] by type, ends, attributes */
} gemp_graph_diff_side;

/* Collective. GEMP_EDATA if the graph has too many elements; path and moment ("before" or "after") are for that
 * message. */
gemp_code gemp_graph_diff_take(gemp_graph_diff_side *out, gemp_runtime *context, gemp_shard *graph, const char *path,
                               const char *moment);
void gemp_graph_diff_free(gemp_graph_diff_side *side);

/* Collective. Rank 0 writes both sides as one drawing to the file `path`, which appears when it is complete. */
gemp_code gemp_graph_diff_write(const gemp_comm *comm, const gemp_graph_diff_side *before,
                                const gemp_graph_diff_side *after, const char *path);

#endif
