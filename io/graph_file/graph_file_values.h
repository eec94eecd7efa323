/* graph_file_values: the indexes of values in a graph file, which graph_file_index.h lists. All functions are
 * collective. Index number i is the group /indexes/values/i. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_VALUES_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_VALUES_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_file.h"

gemp_code gemp_file_describe_value_index(const gemp_h5 *h5, const gemp_shard *graph, size_t number,
                                         gemp_value_index *index);
/* As gemp_shard_find_vertices. Reads only the entries of the value, and some keys to find them. */
gemp_code gemp_file_find_vertices(const gemp_h5 *h5, const gemp_shard *graph, size_t number, const gemp_value *value,
                                  gemp_vertex **ids, size_t *count);
/* Makes an index and writes it. */
gemp_code gemp_file_put_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number);
gemp_code gemp_file_verify_value_index(const gemp_h5 *h5, gemp_shard *graph, size_t number);

/* Another program may replace the indexes of a file that is in use, whose graph and hash stay. This fails if the file
 * lacks the group `path` of an index, which is in the group `kind`. */
gemp_code gemp_file_expect_index(const gemp_h5 *h5, const char *kind, const char *path);
/* Local. The failure: an index is not the one that the file had when it was opened. */
gemp_code gemp_file_index_replaced(const gemp_h5 *h5);
/* Local. The failure: an index does not follow from the graph. */
gemp_code gemp_file_stale_index(const gemp_h5 *h5, const char *kind, size_t number);

#endif
