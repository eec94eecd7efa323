/* neighbours: sums over pairs of neighbours of a vertex, weighed by the neighbours that all three have in common.
 *
 * On a GPU the edges among those neighbours of a vertex that are in a triangle with it become a bitmap, and common
 * neighbours are bits that are set in two of its rows. Bitmaps are made for as many vertices at a time as fit into a
 * share of the device's memory. On a CPU device the common neighbours of the ends of every edge are listed, and counted
 * through these lists.
 */

#ifndef GEMP_COUNT_NEIGHBOURS_H
#define GEMP_COUNT_NEIGHBOURS_H

#include "count/device_graph.h"

/* Collective. This rank's share of a sum of NEIGHBOURS, without its factor. */
gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result);

/* The same in a given form, for tests. lists: that of CPU devices. maximum: bytes of a buffer; 0: the device's
 * limit. */
gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool lists, uint64_t maximum,
                                     gemp_sum_result *result);

/* May expressions contain g? A GPU needs a table of all pairs of vertices, 4 bytes each; a CPU device a word per
 * vertex. */
bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices);

#endif
