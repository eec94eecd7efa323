/* row_sort: the slots of one row in ascending order, with the edges that lead there or without.
 *
 * Rows are short and many, and each is sorted by one thread: insertion for up to 40 slots, else radix sort (least significant
 * digit first) in memory that the thread has anyway. Long arrays are sorted by all threads in primitive/sort.h.
 */

#ifndef GEMP_PARTITION_ROW_SORT_H
#define GEMP_PARTITION_ROW_SORT_H

#include "core/types.h"

#include <stddef.h>

/* Equal slots keep their order. edges may be NULL. Slots are below 2^bits. The spare arrays have room for as many of both;
 * their content is lost. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
