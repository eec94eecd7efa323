/* neighbours: sums over pairs of neighbours of a vertex, weighed by the neighbours that all three have in common.
 *
 * The edges among a vertex's neighbours become a bitmap, of those neighbours alone that are in a triangle with it; common
 * neighbours are bits set in two rows. Bitmaps of as many vertices as fit into a share of the device's memory at a time.
 */
#ifndef GEMP_COUNT_NEIGHBOURS_H
#define GEMP_COUNT_NEIGHBOURS_H

#include "count/count_graph.h"

/* Collective. This rank's share of a sum of kind NEIGHBOURS, without its factor; the graph has supports. */
gemp_code gemp_neighbours_sum(const gemp_count_graph *graph, const gemp_sum *sum, gemp_sum_result *result);

/* May a plan ask for g? A table of all pairs of vertices, 4 bytes each, fits into the memory of this device. */
bool gemp_neighbours_codegrees(const gemp_device *device, uint64_t vertices);

#endif
