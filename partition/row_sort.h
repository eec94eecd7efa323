/* row_sort: the slots of one row, with the edges that lead there or without, in ascending order. */
#ifndef GEMP_PARTITION_ROW_SORT_H
#define GEMP_PARTITION_ROW_SORT_H

#include "core/types.h"

#include <stddef.h>

/* Equal slots keep their order. edges may be NULL. Slots are below 2^bits. `spare` has room for as many of both; its
 * content is lost. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
