/* chains_parts: what the files of chains have in common. */
#ifndef GEMP_SEQUENCE_CHAINS_PARTS_H
#define GEMP_SEQUENCE_CHAINS_PARTS_H

#include "sequence/chains.h"

typedef struct gemp_chain_list {
	size_t count;
	gemp_item *next;     /* [count] */
	bool *previous;      /* [count] */
	gemp_stretch *extent; /* [count] at least one item each */
	gemp_item *name;     /* [count] of the items that the caller of gemp_chains_rank has */
} gemp_chain_list;

/* Its chain has no other item. */
static inline bool gemp_chain_alone(const gemp_comm *comm, const gemp_chain_list *list, size_t i)
{
	return list->next[i] == GEMP_NO_ITEM ? !list->previous[i] : list->next[i] == gemp_item_of(comm->rank, i);
}

static inline gemp_chain_place gemp_chain_place_alone(const gemp_chain_list *list, size_t i)
{
	return (gemp_chain_place){ list->name[i] | (list->previous[i] ? GEMP_CHAIN_CLOSED : 0), { 0 } };
}

/* Collective. Places by contraction, or, of lists in which `left` of this rank's items are not alone, by each rank for
 * all. */
gemp_code gemp_chain_list_rank(const gemp_comm *comm, const gemp_chain_list *list, uint64_t seed,
                               gemp_chain_place *places, gemp_traffic *traffic);
gemp_code gemp_chain_list_gather(const gemp_comm *comm, const gemp_chain_list *list, size_t left,
                                 gemp_chain_place *places);

#endif
