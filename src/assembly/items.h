/* items: elements of arrays that are distributed over ranks, named by rank (upper 20 bits) and index. */

#ifndef GEMP_ASSEMBLY_ITEMS_H
#define GEMP_ASSEMBLY_ITEMS_H

#include "comm/exchange.h"

typedef uint64_t gemp_item;
#define GEMP_NO_ITEM UINT64_MAX

enum { GEMP_ITEM_BITS = 44 }; /* of the index; the rank is above them */

static inline gemp_item gemp_item_of(int rank, size_t index)
{
	return (uint64_t)rank << GEMP_ITEM_BITS | index;
}

static inline int gemp_item_rank(gemp_item item)
{
	return (int)(item >> GEMP_ITEM_BITS);
}

static inline size_t gemp_item_index(gemp_item item)
{
	return (size_t)(item & ((UINT64_C(1) << GEMP_ITEM_BITS) - 1));
}

/* Collective. answers[i] becomes the element of `size` bytes (a multiple of 8) that items[i] names in its rank's
 * table; those of GEMP_NO_ITEM stay as they are. */
gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *table,
                             size_t size, void *answers, gemp_traffic *traffic);

#endif
