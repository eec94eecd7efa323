/* induced: the graph of some vertices and all edges of chosen relations between them, with their labels and attributes.
 * Vertices stay on their ranks, so the ranks exchange only counts. */

#ifndef GEMP_PARTITION_DERIVED_INDUCED_H
#define GEMP_PARTITION_DERIVED_INDUCED_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_induced {
	size_t relation_count;
	gemp_shard *graph;   /* vertices keep their order and their owners; the key ranks have gaps */
	gemp_vertex *vertex; /* [graph->vertex_count] the old id of each vertex, the same on every rank */
	gemp_edge **edge;    /* [relation_count][own edges] the old number of each edge in its relation */
} gemp_induced;

/* Collective. bits: the ids of the vertices to keep, the same on every rank; bits behind the last id are zero.
 * relations[]: whether a relation keeps its edges; a relation that does not becomes empty. Missing parts of the graph
 * are loaded. */
gemp_code gemp_induced_new(gemp_induced *out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *bits,
                           const bool *relations);
void gemp_induced_free(gemp_induced *induced);

#endif
