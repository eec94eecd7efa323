/* graph_drawing: what drawings of small graphs for Graphviz share, and the drawing of a graph with a spanning forest.
 *
 * Vertices are coloured by their degrees: the left half by in-edges in blue, the right half by out-edges in orange,
 * deeper for more edges. */

#ifndef GEMP_IO_PICTURE_GRAPH_DRAWING_H
#define GEMP_IO_PICTURE_GRAPH_DRAWING_H

#include "comm/comm.h"
#include "core/text.h"
#include "graph/graph.h"

enum { GEMP_DRAWING_MAX = 1000 }; /* maximum number of vertices and of edges of a drawing */

/* Local. Returns GEMP_EDATA if the graph is too large for a drawing. Callers check before they compute. */
gemp_code gemp_drawing_check(const char *path, uint64_t vertices, uint64_t edges);

/* Collective. out receives the concatenated arrays of all ranks, own[count] of elements of `size` bytes. The caller has
 * allocated it, since it knows the total size. */
gemp_code gemp_drawing_gather(const gemp_comm *comm, const void *own, size_t count, size_t size, void *out);
/* Collective. *keys becomes the keys of all vertices on rank 0, and stays empty on other ranks. Keys must be loaded. */
gemp_code gemp_drawing_keys(const gemp_comm *comm, const gemp_shard *graph, gemp_column *keys);
/* Local. Appends the key of a vertex, quoted. */
void gemp_drawing_key(gemp_text *out, const gemp_column *keys, size_t vertex);
/* Local. Appends the attributes of a vertex that show its degrees. max_degree: the largest of all in- and
 * out-degrees. */
void gemp_drawing_degrees(gemp_text *out, size_t in, size_t out_degree, size_t max_degree);

/* An edge of a drawing of a spanning forest. */
typedef struct gemp_forest_edge {
	gemp_vertex source, target;
	uint32_t in_forest, directed; /* 0 or 1 */
} gemp_forest_edge;

/* Collective. Draws own[count] of all ranks: the forest in red over the other edges in grey. The file gets its name
 * after it is complete. Keys must be loaded. */
gemp_code gemp_forest_drawing_write(const gemp_comm *comm, const gemp_shard *graph, const gemp_forest_edge *own,
                                    size_t count, const char *path);

#endif
