/* graph_diff: draws a small graph before and after a transformation as one Graphviz drawing. Deleted elements are red,
 * created elements are green, and elements with other labels or attributes are amber.
 *
 * A vertex is identified by its key, and an edge by its type and the keys of its source and target. Every rank holds
 * both graphs completely, so each graph may have at most GEMP_GRAPH_DIFF_MAX vertices and edges. */

#ifndef GEMP_TRANSFORM_GRAPH_DIFF_H
#define GEMP_TRANSFORM_GRAPH_DIFF_H

#include "graph/graph.h"
#include "partition/runtime.h"

enum { GEMP_GRAPH_DIFF_MAX = 2000 }; /* maximum number of vertices and edges in a drawn graph */

/* A graph as keys and texts. All ranks have the same side. {0} is an empty graph. */
typedef struct gemp_graph_diff_side {
	void *bytes; /* [size]; keys and texts point into these bytes */
	size_t size;
	size_t vertex_count, edge_count;
	struct gemp_graph_diff_vertex *vertices; /* [vertex_count] in the order of keys */
	struct gemp_graph_diff_edge *edges;      /* [edge_count] in the order of types, sources, targets and attributes */
} gemp_graph_diff_side;

/* Collective. Makes a side of the graph. GEMP_EDATA if the graph has too many elements; the message contains `path` and
 * `moment` ("before" or "after"). */
gemp_code gemp_graph_diff_take(gemp_graph_diff_side *out, gemp_runtime *context, gemp_shard *graph, const char *path,
                               const char *moment);
void gemp_graph_diff_free(gemp_graph_diff_side *side);

/* Collective. Rank 0 writes both sides as one drawing to the file `path`, which gets its name when it is complete. */
gemp_code gemp_graph_diff_write(const gemp_comm *comm, const gemp_graph_diff_side *before,
                                const gemp_graph_diff_side *after, const char *path);

#endif
