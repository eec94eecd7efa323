/* team: ranks that hold a part of the graph in shared memory, or each rank by itself.
 *
 * Either each rank is a team of its own, and teams exchange messages (team_exchange.h); or all ranks share one node and
 * form one team: then arrays are in shared memory (comm/shared.h), and successors cross ranks without a message. The
 * engine is written once for both.
 *
 * Numbers of edges have 4 bytes where the graph allows, otherwise 8. The width is a parameter of every access. The
 * loops over edges are compiled once for each width (GEMP_WIDTHS), which takes the test of the width out of them.
 */

#ifndef GEMP_EULER_RANKS_TEAM_H
#define GEMP_EULER_RANKS_TEAM_H

#include "comm/exchange.h"
#include "comm/shared.h"

#include <string.h>

#define GEMP_INLINE static inline __attribute__((always_inline))

GEMP_INLINE size_t gemp_number_size(bool wide)
{
	return wide ? sizeof(uint64_t) : sizeof(uint32_t);
}

GEMP_INLINE uint64_t gemp_number_at(const void *at, size_t i, bool wide)
{
	return wide ? ((const uint64_t *)at)[i] : ((const uint32_t *)at)[i];
}

GEMP_INLINE void gemp_number_set(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		((uint64_t *)at)[i] = value;
	else
		((uint32_t *)at)[i] = (uint32_t)value;
}

/* Relaxed atomics, for threads and for processes that share the array. */
GEMP_INLINE uint64_t gemp_number_load(const void *at, size_t i, bool wide)
{
	return wide ? __atomic_load_n((const uint64_t *)at + i, __ATOMIC_RELAXED)
	            : __atomic_load_n((const uint32_t *)at + i, __ATOMIC_RELAXED);
}

GEMP_INLINE void gemp_number_store(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		__atomic_store_n((uint64_t *)at + i, value, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint32_t *)at + i, (uint32_t)value, __ATOMIC_RELAXED);
}

/* Returns the number after the decrement. */
GEMP_INLINE uint64_t gemp_number_decrement(void *at, size_t i, bool wide)
{
	return wide ? __atomic_fetch_sub((uint64_t *)at + i, 1, __ATOMIC_RELAXED) - 1
	            : __atomic_fetch_sub((uint32_t *)at + i, 1, __ATOMIC_RELAXED) - 1;
}

GEMP_INLINE bool gemp_number_cas(void *at, size_t i, uint64_t from, uint64_t to, bool wide)
{
	if (wide)
		return __atomic_compare_exchange_n((uint64_t *)at + i, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	uint32_t narrow = (uint32_t)from;
	return __atomic_compare_exchange_n((uint32_t *)at + i, &narrow, (uint32_t)to, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
}

/* The j-th number of a record, which need not be aligned. */
GEMP_INLINE uint64_t gemp_number_read(const char *record, size_t j, bool wide)
{
	uint64_t long_one;
	uint32_t short_one;
	if (wide)
		return memcpy(&long_one, record + j * sizeof long_one, sizeof long_one), long_one;
	return memcpy(&short_one, record + j * sizeof short_one, sizeof short_one), short_one;
}

GEMP_INLINE void gemp_number_write(char *record, size_t j, uint64_t value, bool wide)
{
	uint32_t narrow = (uint32_t)value;
	if (wide)
		memcpy(record + j * sizeof value, &value, sizeof value);
	else
		memcpy(record + j * sizeof narrow, &narrow, sizeof narrow);
}

/* GEMP_WIDTHS defines a body of gemp_parallel_for that calls name(context, chunk, wide), GEMP_CHUNK_WIDTHS a body
 * of gemp_for_chunks that calls name(context, begin, end, wide). `wide` is a constant in each of the two copies of
 * name. */
#define GEMP_CHUNK_WIDTHS(body, name, type)                                 \
	static void body(void *context, size_t chunk, size_t begin, size_t end) \
	{                                                                       \
		(void)chunk;                                                        \
		type *c = context;                                                  \
		if (c->wide)                                                        \
			name(c, begin, end, true);                                      \
		else                                                                \
			name(c, begin, end, false);                                     \
	}

#define GEMP_WIDTHS(body, name, type)                              \
	static void body(void *context, unsigned thread, size_t chunk) \
	{                                                              \
		(void)thread;                                              \
		type *c = context;                                         \
		if (c->wide)                                               \
			name(c, chunk, true);                                  \
		else                                                       \
			name(c, chunk, false);                                 \
	}

typedef struct gemp_euler_team {
	const gemp_comm *comm;
	size_t teams, team;     /* the number of teams, and the index of this rank's team */
	size_t members, member; /* the number of ranks of this team, and this rank's index among them */
	bool wide;              /* numbers of edges have 8 bytes */
	uint64_t seed;
	uint32_t spacing;  /* elements for each splitter */
	size_t gather;     /* a list of at most so many elements is ranked by every rank for itself */
	size_t in_flight;  /* the maximum number of records that a rank sends in one round */
	uint64_t circuits; /* that this team has numbered */
	gemp_traffic traffic;
} gemp_euler_team;

/* Local. together: all ranks are one team. */
void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together);

/* Collective over the team. Afterwards every member sees what the others wrote before. */
void gemp_euler_team_fence(const gemp_euler_team *team);
/* Collective over the team. Returns the sum of `own` over the members before this one; *all: the sum over all
 * members. */
uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all);
/* Local. This member's part [*first, *end) of `count` elements. */
void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end);

/* Zeroed memory of the team: shared by its members, or private to a team of one. */
typedef struct gemp_euler_block {
	void *at; /* NULL: none */
	size_t size;
	gemp_shared shared;
} gemp_euler_block;

/* Collective over all teams; all ranks return the same code. Every block of `count` elements of `size` bytes. */
gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* Collective over all teams; all ranks return the same code. A larger block with the elements of the old one, which is
 * freed. */
gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* Collective over the team. Takes {0}. */
void gemp_euler_block_free(gemp_euler_block *block);
/* Local. *out: `count` zeroed numbers, which the caller frees. */
gemp_code gemp_numbers_new(void **out, size_t count, bool wide);

#endif
