/* in_memory: converts a graph of the benchmarks to a shard of the program, without a file. */
#ifndef BENCH_GAS_IN_MEMORY_H
#define BENCH_GAS_IN_MEMORY_H

#include "comm/comm.h"
#include "core/status.h"
#include "gas_parts/graph.h"
#include "graph/graph.h"

/* Makes a graph with undirected edges of one type, each stored once. Keys are ids. If weight is not NULL, it is an
 * array of graph_weights and becomes the integer attribute "weight". Every rank has all of g and takes its own rows.
 * The caller frees the result by gemp_shard_free. */
gemp_code graph_in_memory(gemp_shard **out, const gemp_comm *comm, const graph *g, const uint8_t *weight);

#endif
