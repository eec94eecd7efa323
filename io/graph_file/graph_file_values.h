/* graph_file_values: the indexes of values in a graph file, which graph_file_index.h lists. Functions are
 * collective unless they are said to be local. Entries are read by the graph's point reader (graph/point_reader.h). */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_VALUES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_VALUES_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_file.h"

#define GEMP_FILE_VALUE_INDEXES "/indexes/sorted"

/* Reads what describes the index in a group. The caller frees the paths of *index, also after a failure. */
gemp_code gemp_file_describe_value_index(const gemp_h5 *h5, const gemp_shard *graph, const char *group,
                                         gemp_value_index *index);
/* Makes index number `number` of the graph, and writes it as the group of this number. */
gemp_code gemp_file_put_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number);
/* Compares the index with the attribute. */
gemp_code gemp_file_verify_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number);

/* Local. *same becomes whether the file has the indexes of values that the graph had when it was opened. */
gemp_code gemp_file_same_value_indexes(const gemp_h5 *h5, const gemp_shard *graph, bool *same);

/* Local. The failure: the index at `path` does not follow from the graph. */
gemp_code gemp_file_stale_index(const gemp_h5 *h5, const char *path);

#endif
