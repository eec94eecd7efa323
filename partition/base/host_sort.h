/* builder_sort: stable least-significant-digit radix sort of 64-bit keys with a 64-bit companion each. */

#ifndef GEMP_PARTITION_BASE_HOST_SORT_H
#define GEMP_PARTITION_BASE_HOST_SORT_H

#include "core/status.h"
#include "core/types.h"

#include <stddef.h>

/* Ascending by keys, both arrays moved; digits that are alike in all keys cost nothing but the counting pass. */
gemp_code gemp_radix_sort(uint64_t *keys, uint64_t *companions, size_t count);

/* row_sort: the slots of one row, with the edges that lead there or without, in ascending order. */

/* Equal slots keep their order. edges may be NULL. Slots are below 2^bits. `spare` has room for as many of both; its
 * content is lost. */
void gemp_row_sort(gemp_vertex *slots, gemp_edge *edges, size_t count, unsigned bits, gemp_vertex *spare_slots,
                   gemp_edge *spare_edges);

#endif
