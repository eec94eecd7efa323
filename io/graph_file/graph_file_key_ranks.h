/* graph_file_key_ranks: the position of each key in the order of all keys, in a graph file. All functions are
 * collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_KEY_RANKS_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_KEY_RANKS_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

/* Sets graph->key_ranks. The keys are loaded. */
gemp_code gemp_file_get_key_ranks(const gemp_h5 *h5, gemp_shard *graph);
/* Writes /nodes/_rank. If the ranks follow from the keys, writes the attribute gemp-first-key instead, and *stored
 * becomes false. */
gemp_code gemp_file_put_key_ranks(const gemp_h5 *h5, const gemp_shard *graph, gemp_h5_slab rows, bool *stored);

#endif
