/* neighbours: sums over pairs of neighbours of a vertex, whose expressions contain the number of common neighbours of
 * all three vertices.
 *
 * On a GPU, the neighbours that are in a triangle with a vertex are the rows and columns of the vertex's bitmap, which
 * has a bit for each edge between two of them. Common neighbours of a pair are bits that are set in both rows of the
 * pair. Bitmaps are made in batches that fit into a quarter of the device's memory. On a CPU device, the common
 * neighbours of the two ends of every edge are listed, and the sum is computed from these lists. */

#ifndef GEMP_COUNT_NEIGHBOURS_H
#define GEMP_COUNT_NEIGHBOURS_H

#include "count/device_graph.h"

/* Collective. A sum of NEIGHBOURS over this rank's tasks, without its factor. */
gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result);

/* The same in a given form, for tests. lists: the form of CPU devices. maximum: bytes of one buffer; 0: the device's
 * limit. */
gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool lists, uint64_t maximum,
                                     gemp_sum_result *result);

/* May expressions contain the symbol `g` on this device? A GPU needs a table of all pairs of vertices, 4 bytes each; a
 * CPU device needs a word per vertex. */
bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices);

#endif
