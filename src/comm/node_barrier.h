/* node_barrier: a barrier of the ranks of a node that also carries a few numbers, in memory that the ranks share.
 *
 *   post -> await each of the others -> post ...
 *
 * slots[ranks], one for each rank, aligned to cache lines; each has two sets of values[GEMP_NODE_BARRIER_VALUES], used
 * alternately. What a rank wrote to shared memory before its post, every rank sees that has awaited it. A rank is at most one
 * round ahead of the slowest, so memory that it wrote for a round is free again once it has awaited all others in the next
 * round. A waiting rank spins, then yields its core, and then sleeps on a futex.
 */

#ifndef GEMP_COMM_NODE_BARRIER_H
#define GEMP_COMM_NODE_BARRIER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEMP_NODE_BARRIER_VALUES = 20, GEMP_NODE_BARRIER_ALIGN = 64 };

typedef struct gemp_node_barrier {
	struct gemp_node_barrier_slot *slots; /* [ranks] borrowed; NULL: none */
	int ranks, rank;
	uint32_t round; /* of the last post */
	bool patient;   /* do not spin: this rank's cores have other work meanwhile */
} gemp_node_barrier;

size_t gemp_node_barrier_size(int ranks);

/* memory: gemp_node_barrier_size() bytes, aligned to GEMP_NODE_BARRIER_ALIGN. The caller synchronizes the ranks before the first
 * post. */
void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int ranks, int rank);

void gemp_node_barrier_post(gemp_node_barrier *barrier, const uint64_t *values, int count);

/* Returns the values of that rank once it has posted this round; they are valid until the next post. */
const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *barrier, int rank);

#endif
