/* list_rank: positions in linked lists, open or closed, that are distributed over ranks, by random splitters
 * (Reid-Miller 1994; Cole and Vishkin 1986).
 *
 * A hash of its name makes every few items a splitter; from each splitter a walker goes to the next one, and every
 * item that it passes learns its distance. All walkers advance at once; those that cross to another rank travel
 * together, one exchange a step. The splitters form a list that is several times shorter, and so on until every
 * rank can have all of it. euler/ranks/list.h ranks circuits of edges with 4-byte numbers in shared memory; its
 * head says why there are two.
 */

#ifndef GEMP_ASSEMBLY_LIST_RANK_H
#define GEMP_ASSEMBLY_LIST_RANK_H

#include "assembly/items.h"

/* How much lies before an item, or in all. */
typedef struct gemp_list_extent {
	uint64_t items, weight;
} gemp_list_extent;

typedef struct gemp_list_links {
	size_t count;
	const gemp_item *next;  /* [count] GEMP_NO_ITEM: none; no two have the same */
	const bool *previous;   /* [count] is it somebody's next? */
	const uint64_t *weight; /* [count] NULL: all 0 */
} gemp_list_links;

/* `first` names the chain: its first item, or, of one that is closed, an item of it, with GEMP_LIST_CLOSED. */
typedef struct gemp_list_place {
	gemp_item first;
	gemp_list_extent before; /* from the first item on */
} gemp_list_place;

#define GEMP_LIST_CLOSED (UINT64_C(1) << 63)

/* Collective. places[links->count]. */
gemp_code gemp_list_rank(const gemp_comm *comm, const gemp_list_links *links, gemp_list_place *places,
                         gemp_traffic *traffic);

#endif
