/* resolve: which of the matches of all ranks are applied together.
 *
 * The selected set is that of a greedy pass in the order of priorities, the lexicographically first maximal
 * independent set of the conflict graph: it is maximal, free of conflicts, and the same for every number of ranks.
 * It is found in parallel rounds (Blelloch, Fineman and Shun 2012): a match is selected once no undecided
 * conflicting match precedes it. Matches that nobody contends with need no priority:
 *
 * gemp_resolve_uncontended -> priorities for those that are left -> gemp_resolve_all
 */

#ifndef GEMP_TRANSFORM_CONFLICTS_RESOLVE_H
#define GEMP_TRANSFORM_CONFLICTS_RESOLVE_H

#include "gemp/types.h"
#include "partition/runtime.h"
#include "transform/conflicts/conflict_keys.h"
#include "transform/conflicts/match_order.h"

/* All functions take decisions[keys->matches]. Matches that are decided before the call take no part and have no
 * keys. */

/* Collective. Selects the matches whose slots no other match accesses in a conflicting way. *left: matches of all ranks
 * that are still undecided. */
gemp_code gemp_resolve_uncontended(const gemp_comm *comm, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                   uint64_t *left);

typedef struct gemp_resolver {
	const gemp_comm *comm;
	gemp_runtime *context; /* of these ranks, for its device; NULL: the rounds run on the host */
	gemp_placement on; /* of the rounds of one rank; auto: the device, if it is a GPU, many keys contend and they fit */
} gemp_resolver;

/* Collective. The match with the smaller priority wins; priorities of undecided matches are distinct over all ranks.
 * *rounds: how many it took. */
gemp_code gemp_resolve_all(const gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys,
                           const uint64_t *priority, uint8_t *decisions, uint64_t *rounds);
/* Collective. Selects one undecided match of all ranks, by priority and then in the order of matches, and rejects the
 * others. */
gemp_code gemp_resolve_one(const gemp_comm *comm, const gemp_match_keys *matches, const uint64_t *priority,
                           uint8_t *decisions);

#endif
