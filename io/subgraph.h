/* subgraph: some vertices and edges of a graph become a graph of their own. */
#ifndef GEMP_IO_SUBGRAPH_H
#define GEMP_IO_SUBGRAPH_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "io/marks.h"

/* What any rank wants of a graph. Ends of edges come with them. */
typedef struct gemp_subgraph {
	gemp_marks vertices; /* ids */
	gemp_marks edges;    /* of all relations numbered through */
} gemp_subgraph;

gemp_code gemp_subgraph_new(gemp_subgraph *out, const gemp_graph *graph); /* local */
void gemp_subgraph_free(gemp_subgraph *wanted); /* takes {0} */

/* Collective. The graph of what the ranks want together, with keys, labels and attributes as they are, and the same
 * seed, so that of all vertices and edges it is the graph itself. `wanted` is used up. What is not loaded of `graph`
 * is loaded. */
gemp_code gemp_subgraph_make(gemp_graph **out, const gemp_comm *comm, gemp_graph *graph, gemp_subgraph *wanted);

#endif
