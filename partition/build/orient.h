/* orient: the direction in which undirected edges without attributes are stored (gemp_edge_leads in
 * graph/either_rows.h). It follows from the ids of an edge, so the numbers of edges and the hash of a graph depend
 * neither on the direction in its input nor on the rows that it is loaded from. */

#ifndef GEMP_PARTITION_BUILD_ORIENT_H
#define GEMP_PARTITION_BUILD_ORIENT_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Local. Swaps the ends of each edge that has the other direction. */
void gemp_orient_pairs(gemp_edge_pair *edges, size_t count);

/* Collective. The rows by source of a symmetric relation, and both merged, are loaded. If an edge has
 * the other direction, all rows are made again, edges are numbered again, and *turned becomes true. Files of version 1
 * and rules have such edges. */
gemp_code gemp_orient_relation(const gemp_comm *comm, const gemp_shard *graph, gemp_relation *relation, bool *turned);

#endif
