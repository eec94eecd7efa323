/* resolve: decides which matches of all ranks are applied together.
 *
 * The selected set is the result of a greedy pass in the order of priorities, which is the lexicographically first
 * maximal independent set of the conflict graph. It is maximal and free of conflicts, and it does not depend on the
 * number of ranks. It is found in parallel rounds (Blelloch, Fineman and Shun 2012): a match is selected as soon as no
 * undecided conflicting match has a smaller priority. Matches whose slots are not contended need no priority. The steps
 * are:
 *
 * gemp_resolve_uncontended -> priorities for the undecided matches -> gemp_resolve_all */

#ifndef GEMP_TRANSFORM_CONFLICTS_RESOLVE_H
#define GEMP_TRANSFORM_CONFLICTS_RESOLVE_H

#include "gemp/types.h"
#include "partition/runtime.h"
#include "transform/conflicts/device_rounds.h"
#include "transform/conflicts/host_resolve.h"
#include "transform/conflicts/match_order.h"

/* The place where a step resolves conflicts, and what this cost on this rank. */
typedef struct gemp_resolver {
	const gemp_comm *comm;
	gemp_runtime *context; /* the runtime of these ranks, for their devices; NULL: the hosts resolve */
	/* AUTO: the devices if all are GPUs, the ranks have many keys, and the keys fit. DEVICE: the devices if the keys
	 * fit */
	gemp_placement on;
	gemp_form form; /* of the kernels; another than GEMP_FORM_AUTO is for tests */
	/* results; gemp_resolver_close adds the exchanges of devices to the cost */
	bool on_device, on_host;
	gemp_resolve_cost cost;
	gemp_conflict_device device; /* of the module */
} gemp_resolver;

/* Collective. Frees what is on the devices; the results remain. */
void gemp_resolver_close(gemp_resolver *resolver);

/* All functions use decisions[conflict_keys->matches]. Matches that are decided before the call do not take part. For
 * gemp_resolve_uncontended they must have no keys. */

/* Collective. Selects the matches whose slots no other match accesses in a conflicting way. *left becomes the number of
 * undecided matches on all ranks. */
gemp_code gemp_resolve_uncontended(gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys, uint8_t *decisions,
                                   uint64_t *left);
/* Collective. Of two conflicting matches the match with the smaller priority is selected. The priorities of undecided
 * matches must be different on all ranks. *rounds becomes the number of rounds. */
gemp_code gemp_resolve_all(gemp_resolver *resolver, const gemp_conflict_keys *conflict_keys, const uint64_t *priority,
                           uint8_t *decisions, uint64_t *rounds);
/* Collective. Selects one undecided match of all ranks and rejects the others. The selected match has the smallest
 * priority; among equal priorities the order of matches decides. */
gemp_code gemp_resolve_one(const gemp_comm *comm, const gemp_match_keys *matches, const uint64_t *priority,
                           uint8_t *decisions);

#endif
