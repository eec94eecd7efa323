/* edge_places: relation and owner of edges by their numbers through all relations. */
#ifndef GEMP_PARTITION_EDGE_PLACES_H
#define GEMP_PARTITION_EDGE_PLACES_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_edge_places {
	size_t relations;
	int ranks;
	uint64_t *offset; /* [relations + 1] of each relation's first edge */
	uint64_t *first;  /* [relations][ranks] number in the relation of each rank's first edge */
} gemp_edge_places;

/* Collective. Relations whose rows by source are not loaded have no owners yet. */
gemp_code gemp_edge_places_new(gemp_edge_places *out, const gemp_comm *comm, const gemp_graph *graph);
/* Collective. Owners as they are now, of the same graph. */
void gemp_edge_places_own(gemp_edge_places *places, const gemp_comm *comm, const gemp_graph *graph);
void gemp_edge_places_free(gemp_edge_places *places);
size_t gemp_edge_relation(const gemp_edge_places *places, uint64_t edge);
int gemp_edge_owner(const gemp_edge_places *places, uint64_t edge);
/* Of an edge of that rank: its place among the rank's edges of the relation. */
size_t gemp_edge_place(const gemp_edge_places *places, uint64_t edge, int rank);

#endif
