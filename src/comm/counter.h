/* counter: numbers that the ranks of a node hand out to one another: whoever is idle takes the next, and nobody has to answer.
 *
 * A counter is a word of memory that the node shares, and is only loaded, stored and added to: one-sided calls would wait for
 * a target that is busy. Where a node has no room for such memory each rank has a counter of its own, which goes through every
 * R-th number of R ranks. Counters are nested: the last that was opened is closed first.
 */
#ifndef GEMP_COMM_COUNTER_H
#define GEMP_COMM_COUNTER_H

#include "comm/comm.h"

#include <stdatomic.h>

enum { GEMP_MOST_COUNTERS = 64 };

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
static inline uint64_t gemp_counter_take(gemp_counter *counter)
{
	return atomic_fetch_add(&counter->next, counter->step);
}

static inline uint64_t gemp_counter_taken(gemp_counter *counter)
{
	return atomic_load(&counter->next);
}

#endif
