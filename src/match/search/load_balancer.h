/* load_balancer: distributes the pivots over all devices if each rank has all rows and can search from any pivot.
 *
 * Pivots are cut into chunks by estimated cost. Each chunk costs a fraction of the remaining cost, so the last chunks
 * are small. If a pivot costs much of a chunk, the candidates for the second vertex are divided into slices, and the
 * chunks of this pivot are ranges of slices. Chunks are assigned to nodes, the most expensive chunk first, each to the
 * node with the least cost per device. Every rank computes the same assignment. A rank takes the next chunk of its node
 * whenever one of its devices is idle (comm/shared.h). */

#ifndef GEMP_MATCH_SEARCH_LOAD_BALANCER_H
#define GEMP_MATCH_SEARCH_LOAD_BALANCER_H

#include "core/memory.h"
#include "match/search/search_state.h"

/* Collective. `devices` is the number of devices of this rank. */
gemp_code gemp_balancer_new(gemp_balancer **out, gemp_comm *comm, size_t devices);
void gemp_balancer_free(gemp_balancer *balancer); /* Accepts NULL. */
GEMP_RELEASE(gemp_balancer_free, gemp_balancer *)

typedef struct gemp_balancer_costs {
	const uint64_t *cost; /* [count] costs of the pivots; NULL: each pivot costs 1 */
	size_t count;
	size_t min_pivots;      /* a chunk has at least this number of pivots, unless this would leave devices idle */
	uint64_t min_cost;      /* a chunk costs at least this */
	double share_divisor;   /* a chunk costs the remaining cost / (devices * share_divisor) */
	const uint32_t *slices; /* [count] maximum number of slices of each pivot; NULL: no pivot is sliced */
	size_t workers;         /* workers of a device; a chunk of an expensive pivot has this number of slices */
} gemp_balancer_costs;

/* Local. All ranks must pass the same costs; gemp_search_balance_new checks that all ranks have cut the same chunks. */
gemp_code gemp_balancer_cut(gemp_balancer *balancer, const gemp_balancer_costs *costs);

/* Collective. Opens the balancer at its first chunk. Close it when no rank will take another chunk. */
void gemp_balancer_open(gemp_balancer *balancer);
void gemp_balancer_close(gemp_balancer *balancer);

/* Local. Takes the next chunk; returns false if no chunk is left. */
bool gemp_balancer_take(gemp_balancer *balancer, gemp_pivot_chunk *chunk);
bool gemp_balancer_has_chunks(const gemp_balancer *balancer);

/* The pivots of a search, as work for a balancer: their costs, and the chunk that is being searched. */

/* Collective. Called when the numbers of workers and lanes of the search are known. */
gemp_code gemp_search_balance_new(gemp_search *search);
/* Local. Cuts the pivots again after they have changed. */
gemp_code gemp_search_balance_cut(gemp_search *search);

/* Local. Takes the next chunk if the search has finished the last chunk. */
void gemp_search_balance_feed(gemp_search *search);

/* The number of pivots of this rank (every pivot counts on one rank), and the number of pivots that this rank has
 * finished. */
uint64_t gemp_search_own_pivots(const gemp_search *search);
uint64_t gemp_search_pivots_done(const gemp_search *search);

#endif
