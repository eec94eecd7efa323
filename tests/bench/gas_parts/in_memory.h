/* in_memory: a bench's graph as a graph of the project, without a file. */
#ifndef BENCH_GAS_IN_MEMORY_H
#define BENCH_GAS_IN_MEMORY_H

#include "comm/comm.h"
#include "core/status.h"
#include "gas_parts/graph.h"
#include "graph/graph.h"

/* Undirected edges of one type, each stored once, with integer attribute "weight" (weight[], as graph_weights makes it;
 * NULL: none); keys are ids. Every rank has all of g and takes its rows. The caller frees it (gemp_shard_free). */
gemp_code graph_in_memory(gemp_shard **out, const gemp_comm *comm, const graph *g, const uint8_t *weight);

#endif
