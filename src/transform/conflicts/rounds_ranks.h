/* choose_parts: the choice among matches that contend with one another, in rounds: of each seat the first undecided
 * match of each touch is found; a match that is nowhere behind a conflicting one is chosen, one that conflicts with a
 * chosen one is out; until none is undecided. */

#ifndef GEMP_TRANSFORM_CONFLICTS_ROUNDS_RANKS_H
#define GEMP_TRANSFORM_CONFLICTS_ROUNDS_RANKS_H

#include "comm/comm.h"
#include "transform/conflicts/conflict_keys.h"

/* Arguments as gemp_resolve_all has them. */

/* Collective. */
gemp_code gemp_conflict_rounds_ranks(const gemp_comm *comm, const gemp_conflict_keys *tokens, const uint64_t *priority,
                                     uint8_t *choice, uint64_t *rounds);

/* The rank that decides about a seat; at this rank it has the number seat / ranks. */
static inline int gemp_conflict_slot_owner(const gemp_comm *comm, uint64_t seat)
{
	return (int)(seat % (uint64_t)comm->size);
}

#endif
