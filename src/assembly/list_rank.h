/* list_rank: positions in linked lists, open or closed, that are distributed over ranks, by random splitters
 * (Reid-Miller 1994; Cole and Vishkin 1986).
 *
 * A hash of the item number selects one of several items as a splitter. A walker goes from each splitter to the next,
 * and every item that it passes gets its distance. All walkers advance together; walkers that leave for another rank
 * travel in one exchange for each step. The splitters form a list that is several times shorter; this repeats until the
 * list is so short that every rank can rank it alone. euler/ranks/list.h ranks circuits of edges with 4-byte numbers in
 * shared memory; its head says why there are two.
 */

#ifndef GEMP_ASSEMBLY_LIST_RANK_H
#define GEMP_ASSEMBLY_LIST_RANK_H

#include "comm/exchange.h"

/* An item is an element of an array that is distributed over ranks: rank (upper 20 bits) and index. */

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

/* Collective. answers[i] becomes the element of `size` bytes (a multiple of 8) at the index of items[i] in the table of
 * its rank; the answers to GEMP_NO_ITEM stay as they are. */
gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *table,
                             size_t size, void *answers, gemp_traffic *traffic);

/* Items and their weight, before an item or in a whole list. */
typedef struct gemp_list_extent {
	uint64_t items, weight;
} gemp_list_extent;

typedef struct gemp_list_links {
	size_t count;
	const gemp_item *next;  /* [count] the next item, different for each; GEMP_NO_ITEM: none */
	const bool *previous;   /* [count] true if another item has this one as its next */
	const uint64_t *weight; /* [count] NULL: all 0 */
} gemp_list_links;

/* `first` identifies the list: its first item, or, for a cycle, one of its items with GEMP_LIST_CLOSED. */
typedef struct gemp_list_place {
	gemp_item first;
	gemp_list_extent before; /* from the first item on */
} gemp_list_place;

#define GEMP_LIST_CLOSED (UINT64_C(1) << 63)

/* Collective. places[links->count]. */
gemp_code gemp_list_rank(const gemp_comm *comm, const gemp_list_links *links, gemp_list_place *places,
                         gemp_traffic *traffic);

#endif
