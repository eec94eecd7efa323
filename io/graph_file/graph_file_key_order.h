/* graph_file_key_order: what a graph file has of keys beside, or instead of, the column of keys: an arithmetic
 * progression of keys, and the position of each key in the order of all keys. All functions are collective. */

#ifndef GEMP_IO_GRAPH_FILE_GRAPH_FILE_KEY_ORDER_H
#define GEMP_IO_GRAPH_FILE_GRAPH_FILE_KEY_ORDER_H

#include "graph/graph.h"
#include "io/hdf5/hdf5_dataset.h"

/* If the keys are an arithmetic progression in the order of ids, writes its first number and its step as an attribute
 * of /nodes, and *stored becomes true. Keys and ranks then need no datasets. */
gemp_code gemp_file_put_key_progression(const gemp_h5 *h5, const gemp_shard *graph, bool *stored);
/* *stored: whether the file has a progression. If so, sets the keys and graph->key_ranks. */
gemp_code gemp_file_get_key_progression(const gemp_h5 *h5, gemp_shard *graph, bool *stored);

/* Sets graph->key_ranks. The keys are loaded. */
gemp_code gemp_file_get_key_ranks(const gemp_h5 *h5, gemp_shard *graph);
/* Writes /nodes/_rank. If the ranks follow from the keys, writes the attribute gemp-first-key instead, and *stored
 * becomes false. */
gemp_code gemp_file_put_key_ranks(const gemp_h5 *h5, const gemp_shard *graph, gemp_h5_slab rows, bool *stored);

#endif
