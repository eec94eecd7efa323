/* graph_file_read: opens the HDF5 graph file of docs/format.md and loads its parts on demand. All functions are
 * collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H

#include "comm/comm.h"
#include "graph/graph.h"

/* Reads the schema. Rank r of R gets ids [r n / R, (r+1) n / R), or whole parts of the file's partition if they can be
 * divided among the ranks. gemp_shard_load_* read the rest; each opens the file again. Every dataset that is read whole
 * is compared with its checksum; rows and ids are checked. A file that is no graph file, is truncated or damaged, or
 * has an unknown version is GEMP_EDATA; a missing file is GEMP_ENOINPUT. comm is borrowed until the graph is freed. */
gemp_code gemp_graph_file_open(gemp_shard **out, const gemp_comm *comm, const char *path);

/* Reads everything, and compares all checksums, and the graph's hash with its content. */
gemp_code gemp_graph_file_verify(const gemp_comm *comm, const char *path);

/* The edge attribute that gives the values of the matrices in the file of this graph, or NULL. *out is the graph's own
 * string; all edges of the graph are loaded. */
gemp_code gemp_graph_file_matrix_values(const char **out, const gemp_comm *comm, const gemp_shard *graph,
                                        const char *path);

#endif
