/* list_rank: finds the positions of items in linked lists, open or closed, that are distributed over ranks, by random
 * splitters (Reid-Miller 1994; Cole and Vishkin 1986).
 *
 * A hash of the item selects about one of several items as a splitter. A walker goes from each splitter to the next
 * splitter and gives every item that it passes its distance. All walkers advance together. After all walkers of all
 * ranks have ended or left their rank, one exchange moves those that have left. The splitters form a list that is
 * several times shorter, and the method is applied to it again, until the list is so short that every rank can rank it
 * on its own. euler/ranks/list.h ranks circuits of edges with 4-byte numbers in shared memory, and its head says why
 * there are two modules. */

#ifndef GEMP_ASSEMBLY_LIST_RANK_H
#define GEMP_ASSEMBLY_LIST_RANK_H

#include "comm/exchange.h"

/* An item is an element of an array that is distributed over ranks. It consists of the rank (upper 20 bits) and the
 * index there. */

typedef uint64_t gemp_item;
#define GEMP_NO_ITEM UINT64_MAX

enum { GEMP_ITEM_BITS = 44 }; /* bits of the index; the rank is above them */

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

/* Collective. answers[i] becomes the element, of `size` bytes (a multiple of 8), at the index of items[i] in the table
 * of the item's rank. If items[i] is GEMP_NO_ITEM, answers[i] stays unchanged. */
gemp_code gemp_items_look_up(const gemp_comm *comm, const gemp_item *items, size_t count, const void *table,
                             size_t size, void *answers, gemp_traffic *traffic);

/* A number of items and the sum of their weights. */
typedef struct gemp_list_extent {
	uint64_t items, weight;
} gemp_list_extent;

typedef struct gemp_list_links {
	size_t count;
	const gemp_item *next;  /* [count] the next item of each item, all different; GEMP_NO_ITEM: the list ends */
	const bool *previous;   /* [count] true: the item is the next item of another item */
	const uint64_t *weight; /* [count] NULL: all weights are 0 */
} gemp_list_links;

/* `first` identifies the list. It is the list's first item or, for a cycle, one of its items with GEMP_LIST_CLOSED. */
typedef struct gemp_list_place {
	gemp_item first;
	gemp_list_extent before; /* the items from the first item up to this item, without this item */
} gemp_list_place;

#define GEMP_LIST_CLOSED (UINT64_C(1) << 63)

/* Collective. Sets places[links->count]. */
gemp_code gemp_list_rank(const gemp_comm *comm, const gemp_list_links *links, gemp_list_place *places,
                         gemp_traffic *traffic);

#endif
