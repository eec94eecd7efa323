/* team: ranks that hold a part of the graph together in shared memory, or a single rank that holds its part.
 *
 * There are two cases. Either each rank is a team of its own, and teams exchange messages (team_exchange.h). Or all
 * ranks share one node and form one team. Then arrays are in shared memory (comm/shared.h), and successors cross ranks
 * without a message. The engine is written once for both cases. The ranks of a team are its members.
 *
 * Numbers of edges have 4 bytes if the graph allows it, and otherwise 8 bytes (wide). The width is a parameter of every
 * access. The loops over edges are compiled once for each width (GEMP_WIDTHS), so they do not test it. */

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

GEMP_INLINE void gemp_number_put(void *at, size_t i, uint64_t value, bool wide)
{
	if (wide)
		((uint64_t *)at)[i] = value;
	else
		((uint32_t *)at)[i] = (uint32_t)value;
}

/* The next four functions are relaxed atomics, for threads and processes that share the array. */
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

/* GEMP_WIDTHS defines a body of gemp_parallel_for that calls name(context, chunk, wide). GEMP_CHUNK_WIDTHS defines a
 * body of gemp_for_chunks that calls name(context, begin, end, wide). Each body has two copies of name, in which `wide`
 * is constant. */
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
	size_t gather;     /* a list of at most so many elements is not contracted further (list_ranking.h) */
	size_t in_flight;  /* maximum number of records that a rank sends in a round */
	uint64_t circuits; /* number of circuits that this team has numbered */
	gemp_traffic traffic;
} gemp_euler_team;

/* Local. together: all ranks are one team. */
void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together);

/* Collective over the team. Afterwards every member sees what other members wrote before the call. */
void gemp_euler_team_fence(const gemp_euler_team *team);
/* Collective over the team. Returns the sum of `own` over the members before this member. *all: the sum over all
 * members. */
uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all);
/* Local. [*first, *end) becomes this member's part of `count` elements. */
void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end);

/* Zeroed memory of the team. Its members share it; in a team of one rank it is private. */
typedef struct gemp_euler_block {
	void *at; /* NULL: no memory */
	size_t size;
	gemp_shared shared;
} gemp_euler_block;

/* Collective over all teams, and all ranks return the same code. Makes a block of `count` elements of `size` bytes for
 * each team. */
gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* Collective over all teams, and all ranks return the same code. Makes the block larger and keeps its elements. */
gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* Collective over the team. *block may be {0}. */
void gemp_euler_block_free(gemp_euler_block *block);
/* Local. *out becomes `count` zeroed numbers, which the caller frees. */
gemp_code gemp_numbers_new(void **out, size_t count, bool wide);

#endif
