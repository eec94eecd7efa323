/* load_balancer: distributes the pivots over all devices, where each rank has all rows and can search from any pivot.
 *
 * Pivots are cut into chunks by estimated cost: a chunk costs a part of the remaining cost, so the last chunks are
 * small. A pivot that costs much of a chunk is divided into slices of its candidates for the second vertex, and its
 * chunks are ranges of slices. Chunks are assigned to nodes, the most expensive first, each to the node with the least
 * cost for a device; every rank computes the same assignment. A rank takes the next chunk of its node whenever a device
 * is idle (comm/shared.h).
 */

#ifndef GEMP_MATCH_SEARCH_LOAD_BALANCER_H
#define GEMP_MATCH_SEARCH_LOAD_BALANCER_H

#include "core/memory.h"
#include "match/search/search_state.h"

/* Collective. For the devices of this rank, and those of the others. */
gemp_code gemp_balancer_new(gemp_balancer **out, gemp_comm *comm, size_t devices);
void gemp_balancer_free(gemp_balancer *balancer); /* takes NULL */
GEMP_RELEASE(gemp_balancer_free, gemp_balancer *)

typedef struct gemp_balancer_costs {
	const uint64_t *cost; /* [count] of pivots; NULL: all cost 1 */
	size_t count;
	size_t min_pivots;      /* a chunk has at least so many pivots, unless that would leave devices idle */
	uint64_t min_cost;      /* a chunk costs at least this */
	double share_divisor;   /* a chunk costs the remaining cost / (devices * share_divisor) */
	const uint32_t *slices; /* [count] slices into which a pivot may be divided; NULL: one */
	size_t workers;         /* of a device; a chunk of an expensive pivot has so many slices */
} gemp_balancer_costs;

/* Local. All ranks pass the same costs; gemp_search_balance_new checks that they do. */
gemp_code gemp_balancer_cut(gemp_balancer *balancer, const gemp_balancer_costs *costs);

/* Collective. Opens the balancer at its first chunk. It is closed when no rank takes any more. */
void gemp_balancer_open(gemp_balancer *balancer);
void gemp_balancer_close(gemp_balancer *balancer);

/* Local. Takes the next chunk; false if there is none. */
bool gemp_balancer_take(gemp_balancer *balancer, gemp_pivot_chunk *chunk);
bool gemp_balancer_has_chunks(const gemp_balancer *balancer);

/* The pivots of a search as work for a balancer: their costs, and the chunk that is being searched. */

/* Collective. Called once the search has its shape. */
gemp_code gemp_search_balance_new(gemp_search *search);
/* Local. Cuts the pivots again after they have changed. */
gemp_code gemp_search_balance_cut(gemp_search *search);

/* Local. Takes the next chunk if the last one is finished. */
void gemp_search_balance_feed(gemp_search *search);

/* The number of pivot candidates assigned to this rank (summed over ranks, every candidate once), and how many of these
 * are finished. */
uint64_t gemp_search_own_pivots(const gemp_search *search);
uint64_t gemp_search_pivots_done(const gemp_search *search);

#endif
