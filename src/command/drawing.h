/* drawing: a small graph before and after it was transformed, for Graphviz: what is deleted red, what is created green, what
 * has other labels or attributes amber. */
#ifndef GEMP_COMMAND_DRAWING_H
#define GEMP_COMMAND_DRAWING_H

#include "graph/graph.h"
#include "partition/context.h"

enum { GEMP_DRAWN_MOST = 2000 }; /* vertices and edges of a graph that is drawn */

/* A graph as its keys and texts. {0} is an empty one. */
typedef struct gemp_drawing_side {
	void *bytes;    /* of all ranks */
	size_t size;
	size_t vertex_count, edge_count;
	struct gemp_drawn_vertex *vertices; /* [vertex_count] by key */
	struct gemp_drawn_edge *edges;      /* [edge_count] by type, ends, attributes */
} gemp_drawing_side;

/* Collective. A graph that is too large is GEMP_EDATA; path and moment ("before") are for the message. */
gemp_code gemp_drawing_take(gemp_drawing_side *out, gemp_context *context, gemp_graph *graph, const char *path,
                            const char *moment);
void gemp_drawing_free(gemp_drawing_side *side);

/* Collective. Both as one drawing in the file `path`, which appears when it is whole. */
gemp_code gemp_drawing_write(const gemp_comm *comm, const gemp_drawing_side *before, const gemp_drawing_side *after,
                             const char *path);

#endif
