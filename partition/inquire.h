/* inquire: a number of each of some vertices, asked of the ranks that own them. */
#ifndef GEMP_PARTITION_INQUIRE_H
#define GEMP_PARTITION_INQUIRE_H

#include "comm/comm.h"
#include "graph/graph.h"

enum { GEMP_INQUIRE_BATCH = 64 << 20 }; /* bytes a rank sends in one round */

/* Collective. values[graph->rows] are those of this rank's vertices; out[i] becomes the value of vertex ids[i]. */
gemp_code gemp_inquire(const gemp_comm *comm, const gemp_graph *graph, const uint32_t *values, const gemp_vertex *ids,
                   size_t count, uint32_t *out);

#endif
