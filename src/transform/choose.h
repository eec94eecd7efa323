/* choose: which of the matches of all ranks are applied together.
 *
 * A match touches tokens. Two matches conflict when one writes what the other touches, or adds to what the other
 * reads; additions go well with one another. The chosen set is that of a greedy pass in the order of priorities: it
 * is maximal, free of conflicts, and the same for every number of ranks.
 */
#ifndef GEMP_TRANSFORM_CHOOSE_H
#define GEMP_TRANSFORM_CHOOSE_H

#include "comm/comm.h"

typedef enum gemp_touch { GEMP_READS, GEMP_ADDS, GEMP_WRITES, GEMP_TOUCHES } gemp_touch;

typedef struct gemp_token {
	uint64_t element; /* vertex id or number of an edge; UINT64_MAX: all of them */
	uint32_t aspect;  /* what of it */
	uint32_t touch;   /* gemp_touch */
	size_t match;     /* index at this rank */
} gemp_token;

typedef struct gemp_tokens {
	size_t count, capacity;
	gemp_token *tokens;
} gemp_tokens;

/* Which comes first: the lesser priority, then the lesser place. Places are distinct over all ranks. */
typedef struct gemp_rival {
	uint64_t priority, place;
} gemp_rival;

typedef enum gemp_choice { GEMP_UNDECIDED, GEMP_CHOSEN, GEMP_LEFT_OUT } gemp_choice;

/* Collective. choice[count]: those that are not undecided before take no part. *rounds may be NULL. */
gemp_code gemp_choose_all(const gemp_comm *comm, const gemp_rival *rivals, size_t count, const gemp_tokens *tokens,
                          uint8_t *choice, uint64_t *rounds);
/* Collective. The first of all that are undecided; the others are out. */
gemp_code gemp_choose_one(const gemp_comm *comm, const gemp_rival *rivals, size_t count, uint8_t *choice);

#endif
