/* induced: the graph of some vertices and all edges between them, with their labels and attributes. Vertices stay on their ranks, so
 * that nothing but counts is exchanged. */

#ifndef GEMP_PARTITION_DERIVED_INDUCED_H
#define GEMP_PARTITION_DERIVED_INDUCED_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_induced {
	size_t relation_count;
	gemp_shard *graph;   /* vertices keep their order and their owners; orders of keys have gaps */
	gemp_vertex *vertex; /* [graph->vertices] ids that they had, the same on every rank */
	gemp_edge **edge;    /* [relation_count][own edges] numbers in their relation that they had */
} gemp_induced;

/* Collective. bits: of ids, the same on every rank; behind the last id they are zero. Relations that are not wanted
 * have no edges. All of the graph that this needs is loaded. */
gemp_code gemp_induced_new(gemp_induced *out, const gemp_comm *comm, gemp_shard *graph, const uint32_t *bits,
                           const bool *relations);
void gemp_induced_free(gemp_induced *induced);

#endif
