/* neighbourhood_graph: a graph of some rows of a graph file, which are read one by one (graph/point_reader.h).
 *
 * Rank 0 collects vertices and whole rows. The graph that is made of them has these vertices, in the order of their ids
 * in the file, and these edges; it has the schema of the file's graph, so a pattern that is bound to the one is bound
 * to the other. Keys and attributes are read when they are asked for, only those of its vertices and edges. Ids and
 * edge numbers are its own; ranks of keys are in the order of the file's. */

#ifndef GEMP_PARTITION_DERIVED_NEIGHBOURHOOD_GRAPH_H
#define GEMP_PARTITION_DERIVED_NEIGHBOURHOOD_GRAPH_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "graph/point_reader.h"

/* An edge of the file by the ids of its ends there. */
typedef struct gemp_near_edge {
	gemp_vertex source, target;
	gemp_edge number; /* in its relation; of a relation with merged rows, among parallel edges */
} gemp_near_edge;

typedef struct gemp_near_edges {
	gemp_near_edge *edges; /* [count] */
	size_t count, capacity;
} gemp_near_edges;

/* What was collected. {0} is empty; gemp_near_rows_free frees it. */
typedef struct gemp_near_rows {
	gemp_near_edges *relations; /* [relation_count] of the graph */
	size_t relation_count;
	gemp_vertex *ids; /* [count] vertices, besides the ends of edges */
	size_t count, capacity;
} gemp_near_rows;

gemp_code gemp_near_rows_init(gemp_near_rows *rows, const gemp_shard *graph);
void gemp_near_rows_free(gemp_near_rows *rows);
/* Local. Adds vertices. */
gemp_code gemp_near_rows_add_vertices(gemp_near_rows *rows, const gemp_vertex *ids, size_t count);
/* Local. Reads the row of a vertex in a relation, and adds its edges. part: as in graph/point_reader.h. bounds: of the
 * row. Appends the neighbours to (*found)[*count] of *capacity. */
gemp_code gemp_near_rows_read(gemp_near_rows *rows, const gemp_shard *graph, size_t relation, unsigned part,
                              gemp_vertex id, const uint64_t bounds[2], gemp_vertex **found, size_t *count,
                              size_t *capacity);

/* Collective. Makes the graph of rank 0's rows. `graph`, of the file, is borrowed. */
gemp_code gemp_neighbourhood_graph_new(gemp_shard **out, const gemp_comm *comm, gemp_shard *graph,
                                       const gemp_near_rows *rows);

#endif
