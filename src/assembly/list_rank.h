/* chains: places in linked lists that are spread over ranks.
 *
 * Every few items one is chosen at random, by a hash of its name; from it a walker goes on to the next chosen one, and
 * what it passes learns how far behind which chosen item it stands. All walkers are under way at once; those that
 * cross to another rank go together, one exchange a step. The chosen items are a list again, several times shorter,
 * and so on until what is left fits one rank (Reid-Miller 1994; Cole and Vishkin 1986 for the contraction).
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

/* Items of all ranks that one rank may do by itself, and items for each that is chosen; tests make them small. */
extern size_t gemp_list_rank_gather;
extern unsigned gemp_list_rank_spacing;

/* Collective. places[links->count]. */
gemp_code gemp_list_rank(const gemp_comm *comm, const gemp_list_links *links, gemp_list_place *places,
                         gemp_traffic *traffic);

#endif
