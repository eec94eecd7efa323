/* shared: memory that all ranks of a node share (an MPI shared window), so that data are stored once per node; and
 * counters in such memory.
 *
 * Every caller has a fallback without shared memory: a node may have too little of it (containers often have), and few
 * bytes do not justify a window. Either all ranks of the job have the block, or no rank has it and gemp_shared.bytes is
 * NULL. Each rank counts a part of the bytes as its own (core/memory.h), so the sum over the ranks of a node is the
 * memory that the node uses. Making, fencing and freeing are collective. */

#ifndef GEMP_COMM_SHARED_H
#define GEMP_COMM_SHARED_H

#include "comm/comm.h"

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gemp_shared {
	void *bytes; /* the same memory for all ranks of this node; NULL: no rank has the block */
	size_t size;
	int ranks;        /* number of ranks of this node */
	int rank;         /* number of this process among them */
	size_t own_bytes; /* bytes that this rank counts */
	MPI_Comm node;
	MPI_Win window;
} gemp_shared;

/* Collective. Returns whether some node has several ranks and every node has `size` bytes of shared memory left. */
bool gemp_shared_fits(const gemp_comm *comm, size_t size);

/* Collective; allocates nothing. Returns whether gemp_shared_new would try to make a block: it fits, and is large
 * enough. */
bool gemp_shared_possible(const gemp_comm *comm, size_t size);

/* Collective; size is the same on all ranks. Makes an uninitialized block on each node. Returns false if no rank has
 * one. */
bool gemp_shared_new(gemp_shared *out, const gemp_comm *comm, size_t size);
/* The same also for small blocks, with which the ranks of a node communicate. */
bool gemp_shared_new_small(gemp_shared *out, const gemp_comm *comm, size_t size);

/* Collective over the node. Afterwards all ranks of the node see what each of them wrote before. */
void gemp_shared_fence(const gemp_shared *shared);

/* Collective over the node; not while a kernel reads the block. {0} and a block that could not be made are allowed. */
void gemp_shared_free(gemp_shared *shared);

/* Local. Divides `count` elements among the ranks of the node: this rank computes [*first, *end). Without a block it
 * computes all elements. */
void gemp_shared_range(const gemp_shared *shared, size_t count, size_t *first, size_t *end);

/* Collective over the node. Sums `count` values over the lower ranks of the node (before) and over all of them (all).
 * Without a block, the sums contain this rank alone. */
void gemp_shared_sums(const gemp_shared *shared, const uint64_t *mine, uint64_t *before, uint64_t *all, int count);

/* Local. The part of `bytes` bytes of a block that this rank counts as its own. */
size_t gemp_shared_own_bytes(const gemp_shared *shared, size_t bytes);

size_t gemp_shared_peak(void); /* peak bytes of this process in shared blocks */

/* COUNTERS distribute work among the ranks of a node: an idle rank takes the next number without the help of another
 * rank.
 *
 * A counter is an atomic word of shared memory. MPI's one-sided calls would wait for a busy target instead. If some
 * node has too little shared memory, every rank has its own counter, which yields every R-th number, where R is the
 * number of ranks of its node. Counters are nested: the last opened counter is closed first. */

enum { GEMP_NODE_COUNTERS = 64 };

typedef struct gemp_counter {
	_Alignas(64) _Atomic uint64_t next;
	uint64_t step; /* the difference of two consecutive numbers: 1, or R without shared memory */
} gemp_counter;

/* Collective. Opens a counter on each node. No rank of the node returns before the counter is set. */
gemp_counter *gemp_counter_open(gemp_comm *comm);
/* Local. After this call no rank may open a counter before all ranks have taken their last number from the closed one,
 * since the new counter uses the same memory. */
void gemp_counter_close(gemp_comm *comm);

/* Local. Takes the next number. gemp_counter_value only reads it. */
static inline uint64_t gemp_counter_next(gemp_counter *counter)
{
	return atomic_fetch_add(&counter->next, counter->step);
}

static inline uint64_t gemp_counter_value(gemp_counter *counter)
{
	return atomic_load(&counter->next);
}

/* BARRIERS of the ranks of a node that also carry a few numbers, in memory that the ranks share.
 *
 *   post -> await each of the other ranks -> post ...
 *
 * slots[ranks] are aligned to cache lines. Each has two sets of values[GEMP_NODE_BARRIER_VALUES], used alternately.
 * What a rank wrote to shared memory before its post is visible to every rank that has awaited it. A rank is at most
 * one round ahead of the slowest rank. Memory that a rank wrote for one round is therefore free again once it has
 * awaited all other ranks in the next round. A waiting rank spins, then yields its core, and then sleeps on a futex. */

enum { GEMP_NODE_BARRIER_VALUES = 20, GEMP_NODE_BARRIER_ALIGN = 64 };

typedef struct gemp_node_barrier {
	struct gemp_node_barrier_slot *slots; /* [ranks] borrowed; NULL: no barrier */
	int ranks, rank;
	uint32_t round; /* the round of the last post */
	bool patient;   /* does not spin, because this rank's cores have other work */
} gemp_node_barrier;

size_t gemp_node_barrier_size(int ranks);

/* memory has gemp_node_barrier_size() bytes, aligned to GEMP_NODE_BARRIER_ALIGN. The caller synchronizes the ranks
 * before the first post. */
void gemp_node_barrier_new(gemp_node_barrier *out, void *memory, int ranks, int rank);

void gemp_node_barrier_post(gemp_node_barrier *barrier, const uint64_t *values, int count);

/* Waits until `rank` has posted this round, and returns its values, which are valid until the next post. */
const uint64_t *gemp_node_barrier_await(const gemp_node_barrier *barrier, int rank);

#endif
