/* graph_file_relation_write: one relation as two sparse matrices and a table of edges. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_WRITE_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_RELATION_WRITE_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_file.h"

/* Collective. One relation below /edges, all of it. Its column `weight` (NULL: none) gives the values of matrices. */
gemp_code gemp_file_put_relation(const gemp_h5 *h5, const gemp_shard *graph, const gemp_relation *relation,
                                 const char *weight);

#endif
