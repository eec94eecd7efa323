/* near: the vertices within some edges of others, as bits by id that are the same on every rank. */
#ifndef GEMP_TRANSFORM_NEAR_H
#define GEMP_TRANSFORM_NEAR_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. bits[(graph->vertices + 31) / 32] get those that some rank marks: mark[graph->rows]. *count: how many. */
gemp_code gemp_near_mark(uint32_t **bits, uint64_t *count, const gemp_comm *comm, const gemp_graph *graph,
                         const bool *mark);
/* Collective. All vertices that an edge of these relations joins to one of the bits get theirs, `steps` times. The
 * out-edges of the relations are loaded. */
gemp_code gemp_near_widen(uint32_t *bits, uint64_t *count, const gemp_comm *comm, const gemp_graph *graph,
                          const bool *relations, unsigned steps);

static inline bool gemp_near_has(const uint32_t *bits, uint64_t id)
{
	return bits[id / 32] >> id % 32 & 1;
}

#endif
