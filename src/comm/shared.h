/* shared: memory that all ranks of a node have in common: an MPI shared window, held once however many ranks read it.
 *
 * Whoever asks for it must do without it, too: a node may have no room for such memory (containers often have little of
 * it), and few bytes are not worth a window. All ranks of the job have blocks, or none has. Each rank counts its part of
 * the bytes as its own (core/memory.h), so that the sum over the ranks of a node is what the node holds.
 */

#ifndef GEMP_COMM_SHARED_H
#define GEMP_COMM_SHARED_H

#include "comm/comm.h"

#include <stdatomic.h>

typedef struct gemp_shared {
	void *bytes; /* the same memory for all ranks of this node; NULL: none */
	size_t size;
	int ranks;        /* ranks of this node */
	int rank;         /* among them */
	size_t own_bytes; /* this rank's part of the bytes */
	MPI_Comm node;
	MPI_Win window;
} gemp_shared;

/* Collective. Is there a node with several ranks, and has each node room for so many bytes? */
bool gemp_shared_fits(const gemp_comm *comm, size_t size);

/* Collective; asks no memory. The same for a block, which is to be worth it. */
bool gemp_shared_possible(const gemp_comm *comm, size_t size);

/* Collective; size is the same on all ranks. A block on each node, its bytes not set. False: there is none on any rank. */
bool gemp_shared_new(gemp_shared *out, const gemp_comm *comm, size_t size);
/* The same, of few bytes, too: for what the ranks of a node tell each other. */
bool gemp_shared_new_small(gemp_shared *out, const gemp_comm *comm, size_t size);

/* Collective over the node. What its ranks wrote before, all of them see afterwards. */
void gemp_shared_fence(const gemp_shared *shared);

/* Collective over the node; not while a kernel reads the block. Takes one that was not made, or is {0}. */
void gemp_shared_free(gemp_shared *shared);

/* The part [*first, *end) of `count` things that this rank does for its node; all of them where nothing is shared. */
void gemp_shared_range(const gemp_shared *shared, size_t count, size_t *first, size_t *end);

/* Collective over the node. Of the values of its ranks: the sums over those before this one, and over all; without a
 * block those of this rank alone. */
void gemp_shared_sums(const gemp_shared *shared, const uint64_t *mine, uint64_t *before, uint64_t *all, int count);

/* A rank's part of bytes that are in the block. */
size_t gemp_shared_own_bytes(const gemp_shared *shared, size_t bytes);

size_t gemp_shared_peak(void); /* bytes of blocks that this process has held in common with others at once, at most */

/* counter: numbers that the ranks of a node hand out to one another: whoever is idle takes the next, and nobody has to answer.
 *
 * A counter is a word of memory that the node shares, and is only loaded, stored and added to: one-sided calls would wait for
 * a target that is busy. Where a node has no room for such memory each rank has a counter of its own, which goes through every
 * R-th number of R ranks. Counters are nested: the last that was opened is closed first.
 */

enum { GEMP_NODE_COUNTERS = 64 };

typedef struct gemp_counter {
	_Alignas(64) _Atomic uint64_t next;
	uint64_t step; /* from a number to the next */
} gemp_counter;

/* Collective. A counter of each node, at 0 before any rank leaves. */
gemp_counter *gemp_counter_open(gemp_comm *comm);
/* Collective over the node, when all are closed. */
void gemp_counter_free(gemp_comm *comm);
/* Local. All ranks have taken what they wanted before any of them opens another. */
void gemp_counter_close(gemp_comm *comm);

/* Local. The next number; the first that has not been taken. */
static inline uint64_t gemp_counter_next(gemp_counter *counter)
{
	return atomic_fetch_add(&counter->next, counter->step);
}

static inline uint64_t gemp_counter_value(gemp_counter *counter)
{
	return atomic_load(&counter->next);
}

#endif
