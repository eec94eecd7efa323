/* neighbours: sums over pairs of neighbours of a vertex, weighed by the neighbours that all three have in common.
 *
 * On a GPU the edges among a vertex's neighbours become a bitmap, of those neighbours alone that are in a triangle with it,
 * and common neighbours are bits set in two rows; bitmaps of as many vertices as fit into a share of the device's memory at a
 * time. On a CPU device the common neighbours of the ends of every edge are listed, and counted through these lists.
 */

#ifndef GEMP_COUNT_NEIGHBOURS_H
#define GEMP_COUNT_NEIGHBOURS_H

#include "count/device_graph.h"

/* Collective. This rank's share of a sum of NEIGHBOURS, without its factor. */
gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result);

/* The same in the form that the device would not choose; for tests. maximum: bytes of a buffer; 0: the device's limit. */
gemp_code gemp_neighbours_sum_shaped(const gemp_count_graph *graph, const gemp_sum *sum, bool neighbour_lists,
                                     uint64_t maximum, gemp_sum_result *result);

/* May expressions contain g? A GPU needs a table of all pairs of vertices, 4 bytes each; a CPU device a word per vertex. */
bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices);

#endif
