/* ranks_inquire: what the owners of numbers know of them. Number k of team t is k * teams + t.
 *
 * Each rank asks for each number once, by a bit; answers come back in the order of numbers.
 */
#ifndef GEMP_EULER_RANKS_INQUIRE_H
#define GEMP_EULER_RANKS_INQUIRE_H

#include "euler/ranks_subset.h"
#include "euler/ranks_team.h"

typedef struct gemp_euler_question {
	gemp_euler_team *team;
	const gemp_euler_subset *named; /* sealed */
	uint64_t own;                   /* this team's numbers have k below it */
	void (*hear)(void *context, size_t team, uint64_t k);    /* NULL, or told of all who ask before any answer */
	uint64_t (*answer)(const void *context, uint64_t k);
	void *context;
} gemp_euler_question;

/* Collective. *values: [named->count] numbers, the caller's. */
gemp_code gemp_euler_inquire(const gemp_euler_question *question, void **values);

#endif
