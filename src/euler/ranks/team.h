/* team: ranks that hold a part of the graph in shared memory, or each rank by itself.
 *
 * Either each rank is a team of its own, and teams exchange messages; or all ranks share one node and form one
 * team: then arrays are in shared memory (comm/shared.h), and successors cross ranks without a message. The engine
 * is written once for both.
 */

#ifndef GEMP_EULER_RANKS_TEAM_H
#define GEMP_EULER_RANKS_TEAM_H

#include "comm/exchange.h"
#include "comm/shared.h"
#include "euler/ranks/numbers.h"

typedef struct gemp_euler_team {
	const gemp_comm *comm;
	size_t teams, team;     /* how many, and which is this rank's */
	size_t members, member; /* of this team */
	bool wide;              /* numbers of edges have 8 bytes */
	uint64_t seed;
	uint32_t spacing; /* elements a splitter */
	size_t gather;    /* elements that are listed on all ranks at most */
	size_t in_flight;
	uint64_t circuits; /* that this team has numbered */
	gemp_traffic traffic;
} gemp_euler_team;

void gemp_euler_team_init(gemp_euler_team *team, const gemp_comm *comm, bool together);

/* Collective over the team: all have come here and see what all have written. */
void gemp_euler_team_fence(const gemp_euler_team *team);
/* Collective over the team. The sum over members before this one, and over all. */
uint64_t gemp_euler_team_before(const gemp_euler_team *team, uint64_t own, uint64_t *all);
/* The part [*first, *end) of `count` things that is this member's. */
void gemp_euler_team_part(const gemp_euler_team *team, size_t count, size_t *first, size_t *end);

/* Zeroed memory of the team. */
typedef struct gemp_euler_block {
	void *at; /* NULL: none */
	size_t size;
	gemp_shared shared;
} gemp_euler_block;

/* Collective over the team, which agrees; of a team of one a local call. */
gemp_code gemp_euler_block_new(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
/* To a larger size, keeping what is there. */
gemp_code gemp_euler_block_grow(gemp_euler_team *team, gemp_euler_block *block, size_t count, size_t size);
void gemp_euler_block_free(gemp_euler_block *block); /* collective over the team; takes {0} */

#endif
