/* choose_parts: the choice among matches that contend with one another, in rounds: of each seat the first undecided
 * match of each touch is found; a match that is nowhere behind a conflicting one is chosen, one that conflicts with a
 * chosen one is out; until none is undecided. */
#ifndef GEMP_CHOICE_CHOOSE_PARTS_H
#define GEMP_CHOICE_CHOOSE_PARTS_H

#include "choice/choose.h"

/* Arguments as gemp_choose_all has them. */

/* Local: all matches are here. */
gemp_code gemp_choose_here(const gemp_chooser *chooser, const gemp_tokens *tokens, const uint64_t *priority,
                           uint8_t *choice, uint64_t *rounds);
/* Collective. */
gemp_code gemp_choose_apart(const gemp_comm *comm, const gemp_tokens *tokens, const uint64_t *priority, uint8_t *choice,
                            uint64_t *rounds);

/* The rank that decides about a seat; at this rank it has the number seat / ranks. */
static inline int gemp_seat_owner(const gemp_comm *comm, uint64_t seat)
{
	return (int)(seat % (uint64_t)comm->size);
}

#endif
