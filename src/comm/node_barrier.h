/* board: on which each rank of a node posts numbers for the others, round after round, in memory that they have in
 * common.
 *
 *   post -> await each of the others -> post ...
 * What a rank wrote to common memory before it posted, those see who have awaited it. A rank posts no more than one
 * round ahead of the slowest, so that what it wrote for a round is free again when it has awaited all others in the
 * next one. Who waits looks for a while, lets others have the core, and then sleeps.
 */

#ifndef GEMP_COMM_NODE_BARRIER_H
#define GEMP_COMM_NODE_BARRIER_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GEMP_NODE_BARRIER_VALUES = 20, GEMP_NODE_BARRIER_ALIGN = 64 };

typedef struct gemp_node_barrier {
	struct gemp_node_barrier_slot *slots; /* [sharers] borrowed; NULL: none */
	int ranks, rank;
	uint32_t round; /* of the last post */
	bool patient;   /* this rank's cores have other work meanwhile */
} gemp_node_barrier;

size_t gemp_node_barrier_size(int sharers);

/* memory: of gemp_node_barrier_size() bytes, aligned; the ranks wait for each other before the first post. */
void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int sharers, int rank);

void gemp_node_barrier_post(gemp_node_barrier *board, const uint64_t *values, int count);

/* Returns when that rank has posted this round, with what it has; valid until the next post. */
const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *board, int rank);

#endif
