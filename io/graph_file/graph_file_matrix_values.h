/* graph_file_matrix_values: an attribute of edges as the values of the matrices of a graph file (--weight). */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_MATRIX_VALUES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_MATRIX_VALUES_H

#include "comm/comm.h"
#include "graph/graph.h"

/* The relation's column of that name, or NULL. */
const gemp_column *gemp_file_weight_of(const gemp_relation *relation, const char *weight);
/* Collective. Can it be the values of matrices, and has some relation got it? GEMP_EUSAGE or GEMP_EDATA if not. */
gemp_code gemp_file_check_weight(const gemp_comm *comm, const gemp_shard *graph, const char *weight);
/* Collective. The column's values in the order of rows by target, integers or floats as their 8 bytes; the caller
 * frees. */
gemp_code gemp_file_weights_by_target(const gemp_comm *comm, const gemp_shard *graph, const gemp_relation *relation,
                                      const gemp_column *column, uint64_t **out);

/* The attribute of edges that gives the values of the matrices in the file of this graph, or NULL; a name of the graph's own,
 * all of whose edges are loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path);

#endif
