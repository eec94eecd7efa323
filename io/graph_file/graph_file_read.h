/* graph_file_read: opens the HDF5 graph file that docs/format.md describes, and loads its parts on demand. All
 * functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_READ_H

#include "comm/comm.h"
#include "graph/graph.h"

struct gemp_h5; /* io/hdf5/hdf5_file.h */

/* Opens a graph and reads its schema. If the number of the file's partitions is a multiple of the number R of ranks,
 * each rank owns whole partitions. If the number is a divisor of R, each rank owns an equal range of one partition. In
 * all other cases rank r owns the ids [r n / R, (r+1) n / R).
 *
 * gemp_shard_load_* read the other parts of the graph; each of them opens the file again. Everything that is read is
 * compared with the file's seal, unless `trust`; if the file is older and has none, every dataset that is read
 * completely is compared with its checksum. Rows and ids are checked. GEMP_EDATA: the file is no graph file, is
 * truncated or damaged, or has an unknown version. GEMP_ENOINPUT: the file is missing. comm is borrowed until the graph
 * is freed. */
gemp_code gemp_graph_file_open(gemp_shard **out, const gemp_comm *comm, const char *path, bool trust);
/* Local. Whether the graph was opened from a file with `trust`. */
bool gemp_graph_file_trusted(const gemp_shard *graph);

/* Compares the lists of the vertices that have a row of an attribute with the labels of the graph, which was opened
 * from the file and has its labels. Only reads of few vertices use these lists. */
gemp_code gemp_graph_file_verify_rows(const struct gemp_h5 *h5, const gemp_shard *graph);

#endif
