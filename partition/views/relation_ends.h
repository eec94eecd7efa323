/* relation_ends: which vertices are sources and targets of a relation's edges. The graph stores the answer, since every
 * query over the relation needs it: a test of labels that all sources pass, for example, tests nothing. */

#ifndef GEMP_PARTITION_VIEWS_RELATION_ENDS_H
#define GEMP_PARTITION_VIEWS_RELATION_ENDS_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Collective. Computes graph->relations[relation].ends unless they are known. Loads labels and rows. */
gemp_code gemp_relation_ends_find(const gemp_comm *comm, gemp_shard *graph, size_t relation);

#endif
