/* shared: memory that all ranks of a node share (an MPI shared window), stored once however many ranks read it; and
 * counters in such memory.
 *
 * Every caller has a fallback without shared memory: a node may have too little of it (containers often do), and a
 * window is not worth it for few bytes. Either all ranks of the job have the block or none has (gemp_shared.bytes is
 * NULL). Each rank counts its part of the bytes as its own (core/memory.h), so the sum over the ranks of a node is what
 * the node uses. Making, fencing and freeing are collective.
 */

#ifndef GEMP_COMM_SHARED_H
#define GEMP_COMM_SHARED_H

#include "comm/comm.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_shared {
	void *bytes; /* the same memory for all ranks of this node; NULL: none */
	size_t size;
	int ranks;        /* ranks of this node */
	int rank;         /* of this process among them */
	size_t own_bytes; /* this rank's part of the bytes */
	MPI_Comm node;
	MPI_Win window;
} gemp_shared;

/* Collective. Is there a node with several ranks, and has each node `size` bytes of shared memory left? */
bool gemp_shared_fits(const gemp_comm *comm, size_t size);

/* Collective; allocates nothing. The same, and the block is large enough to be worth it. */
bool gemp_shared_possible(const gemp_comm *comm, size_t size);

/* Collective; size is the same on all ranks. Makes a block on each node, uninitialized. False: no rank has one. */
bool gemp_shared_new(gemp_shared *out, const gemp_comm *comm, size_t size);
/* The same for small blocks, too, by which the ranks of a node communicate. */
bool gemp_shared_new_small(gemp_shared *out, const gemp_comm *comm, size_t size);

/* Collective over the node. Afterwards all its ranks see what each of them wrote before. */
void gemp_shared_fence(const gemp_shared *shared);

/* Collective over the node; not while a kernel reads the block. Accepts {0} and blocks that could not be made. */
void gemp_shared_free(gemp_shared *shared);

/* Local. The part [*first, *end) of `count` elements that this rank computes for its node; all of them if nothing is
 * shared. */
void gemp_shared_range(const gemp_shared *shared, size_t count, size_t *first, size_t *end);

/* Collective over the node. Sums of `count` values over the lower ranks, and over all ranks of the node; without a
 * block over this rank alone. */
void gemp_shared_sums(const gemp_shared *shared, const uint64_t *mine, uint64_t *before, uint64_t *all, int count);

/* Local. This rank's part of `bytes` bytes of the block. */
size_t gemp_shared_own_bytes(const gemp_shared *shared, size_t bytes);

size_t gemp_shared_peak(void); /* peak bytes of blocks that this process shared with others */

/* Counters distribute work among the ranks of a node: an idle rank takes the next number, and no other rank takes part.
 *
 * A counter is an atomic word of shared memory; MPI's one-sided calls would wait for a target that is busy. Where a
 * node has too little shared memory each of its R ranks has a counter of its own, which yields every R-th number.
 * Counters are nested: the last that was opened is closed first.
 */

enum { GEMP_NODE_COUNTERS = 64 };

typedef struct gemp_counter {
	_Alignas(64) _Atomic uint64_t next;
	uint64_t step; /* from one number to the next: 1, or R without shared memory */
} gemp_counter;

/* Collective. Opens a counter on each node; it is 0 before any rank returns. */
gemp_counter *gemp_counter_open(gemp_comm *comm);
/* Local. All ranks must have taken their last number before any of them opens another counter. */
void gemp_counter_close(gemp_comm *comm);

/* Local. Takes the next number; gemp_counter_value only reads it. */
static inline uint64_t gemp_counter_next(gemp_counter *counter)
{
	return atomic_fetch_add(&counter->next, counter->step);
}

static inline uint64_t gemp_counter_value(gemp_counter *counter)
{
	return atomic_load(&counter->next);
}

/* A barrier of the ranks of a node that also carries a few numbers, in memory that the ranks share.
 *
 *   post -> await each of the others -> post ...
 *
 * slots[ranks] are aligned to cache lines; each has two sets of values[GEMP_NODE_BARRIER_VALUES], used alternately. What a rank
 * wrote to shared memory before its post is visible to every rank that has awaited it. A rank is at most one round ahead of the
 * slowest, so memory that it wrote for a round is free again once it has awaited all others in the next round. A waiting rank
 * spins, then yields its core, and then sleeps on a futex.
 */

enum { GEMP_NODE_BARRIER_VALUES = 20, GEMP_NODE_BARRIER_ALIGN = 64 };

typedef struct gemp_node_barrier {
	struct gemp_node_barrier_slot *slots; /* [ranks] borrowed; NULL: none */
	int ranks, rank;
	uint32_t round; /* of the last post */
	bool patient;   /* do not spin: this rank's cores have other work meanwhile */
} gemp_node_barrier;

size_t gemp_node_barrier_size(int ranks);

/* memory: gemp_node_barrier_size() bytes, aligned to GEMP_NODE_BARRIER_ALIGN. The caller synchronizes the ranks before
 * the first post. */
void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int ranks, int rank);

void gemp_node_barrier_post(gemp_node_barrier *barrier, const uint64_t *values, int count);

/* Returns the values of that rank once it has posted this round; they are valid until the next post. */
const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *barrier, int rank);

#endif
