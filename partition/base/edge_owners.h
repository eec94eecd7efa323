/* edge_owners: relation and owner of edges by their numbers through all relations. */

#ifndef GEMP_PARTITION_BASE_EDGE_OWNERS_H
#define GEMP_PARTITION_BASE_EDGE_OWNERS_H

#include "comm/comm.h"
#include "graph/graph.h"

typedef struct gemp_edge_owners {
	size_t relations;
	int ranks;
	uint64_t *relation_offset; /* [relations + 1] of each relation's first edge */
	uint64_t *rank_first;      /* [relations][ranks] number in the relation of each rank's first edge */
} gemp_edge_owners;

/* Collective. Relations whose rows by source are not loaded have no owners yet. */
gemp_code gemp_edge_owners_new(gemp_edge_owners *out, const gemp_comm *comm, const gemp_shard *graph);
/* Collective. Owners as they are now, of the same graph. */
void gemp_edge_owners_update(gemp_edge_owners *places, const gemp_comm *comm, const gemp_shard *graph);
void gemp_edge_owners_free(gemp_edge_owners *places);
size_t gemp_edge_relation(const gemp_edge_owners *places, uint64_t edge);
int gemp_edge_owner(const gemp_edge_owners *places, uint64_t edge);
/* Of an edge of that rank: its place among the rank's edges of the relation. */
size_t gemp_edge_local_index(const gemp_edge_owners *places, uint64_t edge, int rank);

/* Edge number of relation r's edge k in all: first + k. [relation_count + 1]; the caller frees. */
gemp_code gemp_edge_offsets(const gemp_shard *graph, gemp_edge **offsets);

#endif
