/* graph_file_read: the HDF5 graph file of docs/format.md. Parallel HDF5: collective hyperslabs; serial HDF5:
 * independent reads, rank 0 writes. All functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Reads the schema; rank r of R gets ids [r n / R, (r+1) n / R), or the parts of the file's partition
 * where these can be shared out; the rest comes by gemp_shard_need_*, for which the
 * file is opened again each time. Every dataset that is read whole is compared with its checksum; rows and ids are
 * checked. Not a graph file, a cut file, an unknown version or damage is GEMP_EDATA; a missing file GEMP_ENOINPUT. comm
 * is borrowed until the graph is freed. */
gemp_code gemp_graph_file_open(gemp_shard **out, const gemp_comm *comm, const char *path);

/* Reads everything and compares all checksums, and the hash of the graph with its content. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path);

/* Collective. The attribute of edges that gives the values of the matrices in the file of this graph, or NULL; a name
 * of the graph's own, all of whose edges are loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path);

#endif
