/* graph_file_read: opens the HDF5 graph file that docs/format.md describes, and loads its parts on demand. All
 * functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Opens a graph and reads its schema. If the number of the file's partitions is a multiple of the number R of ranks,
 * each rank owns whole partitions. If the number is a divisor of R, each rank owns an equal range of one partition. In
 * all other cases rank r owns the ids [r n / R, (r+1) n / R).
 *
 * gemp_shard_load_* read the other parts of the graph; each of them opens the file again. Every dataset that is read
 * completely is compared with its checksum, and rows and ids are checked. GEMP_EDATA: the file is no graph file, is
 * truncated or damaged, or has an unknown version. GEMP_ENOINPUT: the file is missing. comm is borrowed until the graph
 * is freed. */
gemp_code gemp_graph_file_open(gemp_shard **out, const gemp_comm *comm, const char *path);

/* Reads the whole file. Compares every checksum, and the graph's hash with the hash of its content. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path);

/* Finds the edge attribute that gives the values of the matrices in the graph's file. *out becomes the attribute's
 * name, which the graph owns, or NULL. Only the schema of the graph is used, so its edges need not be loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path);

#endif
