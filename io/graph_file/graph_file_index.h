/* graph_file_index: the indexes of a graph file, in the group /indexes, which `gemp-mpi index` makes. All functions are
 * collective. An index follows from the rest of the file, so a writer makes it anew or leaves it out. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_INDEX_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_INDEX_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_file.h"

/* Sets the lists of indexes of the graph to the file's indexes, without their content. */
gemp_code gemp_file_describe_indexes(const gemp_h5 *h5, gemp_shard *graph);
/* Reads the rows of an index of the graph. */
gemp_code gemp_file_get_row_index(const gemp_h5 *h5, const gemp_shard *graph, gemp_row_index *index);
/* Makes all indexes in the graph's lists anew, and writes them. The rows of the graph's indexes are not loaded. */
gemp_code gemp_file_put_indexes(const gemp_h5 *h5, gemp_shard *graph);
/* Compares each index with the relations or the attribute that it repeats. */
gemp_code gemp_file_verify_indexes(const gemp_h5 *h5, gemp_shard *graph);

#endif
