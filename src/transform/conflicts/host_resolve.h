/* host_resolve: conflict resolution on the hosts of all ranks. The owner of a slot, a function of its number, decides
 * about the slot; with a single rank this rank owns all slots. */

#ifndef GEMP_TRANSFORM_CONFLICTS_HOST_RESOLVE_H
#define GEMP_TRANSFORM_CONFLICTS_HOST_RESOLVE_H

#include "comm/exchange.h"
#include "transform/conflicts/rounds.h"

/* What this rank has sent to other ranks, and the seconds of the exchanges. */
typedef struct gemp_resolve_cost {
	gemp_traffic traffic;
	double seconds;
} gemp_resolve_cost;

/* Collective. The same as gemp_resolve_uncontended, but *left becomes the number of undecided matches of this rank. */
gemp_code gemp_host_uncontended(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                uint64_t *left, gemp_resolve_cost *cost);

/* Collective. Decides about all matches of several ranks. code: the result of the caller's earlier steps on this
 * rank. */
gemp_code gemp_host_resolve(const gemp_comm *comm, gemp_code code, gemp_conflict_rounds *problem, uint64_t *rounds,
                            gemp_resolve_cost *cost);

/* Local. Returns the rank that decides about a slot. On this rank the slot has the number slot / ranks, so the numbers
 * are dense. */
static inline int gemp_host_slot_owner(const gemp_comm *comm, uint64_t slot)
{
	return (int)(slot % (uint64_t)comm->size);
}

#endif
