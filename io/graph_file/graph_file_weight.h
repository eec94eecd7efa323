/* graph_file_weight: which attribute gives the values of the matrices in a graph file. Collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_WEIGHT_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_WEIGHT_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Finds the edge attribute that gives the values of the matrices in the graph's file. *out becomes the attribute's
 * name, which the graph owns, or NULL. Only the schema of the graph is used, so its edges need not be loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path);

#endif
