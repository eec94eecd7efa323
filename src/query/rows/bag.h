/* bag: the distinct values of each group with their multiplicities, for DISTINCT within an aggregate and for collect.
 *
 * A value is a code (rows/codes.h). The table numbers pairs of a group and a code; next[] links the values of a group
 * into a list that begins with the latest value. Local. */

#ifndef GEMP_QUERY_ROWS_BAG_H
#define GEMP_QUERY_ROWS_BAG_H

#include "query/rows/code_table.h"

typedef struct gemp_bag {
	gemp_code_table pairs; /* of one word: group << 32 | code */
	size_t next_capacity, times_capacity, head_capacity;
	uint32_t *next;  /* [pairs.count] 1 + number of the previous value of the same group; 0: none */
	uint64_t *times; /* [pairs.count] multiplicities */
	uint32_t *head;  /* [head_capacity] 1 + number of a group's latest value; 0: none */
} gemp_bag;          /* {0} is an empty bag */

enum { GEMP_BAG_BLOCK = 1024 }; /* maximum number of values of one addition */

void gemp_bag_free(gemp_bag *bag);
size_t gemp_bag_memory(const gemp_bag *bag); /* in bytes */

static inline uint64_t gemp_bag_pair(uint32_t group, uint32_t code)
{
	return (uint64_t)group << 32 | code;
}

/* Adds each pair as often as times[] says. All groups are less than `groups`, and count <= GEMP_BAG_BLOCK. */
gemp_code gemp_bag_add(gemp_bag *bag, const uint64_t *pairs, const uint64_t *times, size_t count, size_t groups);

size_t gemp_bag_count(const gemp_bag *bag, size_t group); /* number of distinct values of the group */
/* Iterates over the values of a group: call gemp_bag_first, then gemp_bag_next until it returns 0. */
uint32_t gemp_bag_first(const gemp_bag *bag, size_t group);

static inline uint32_t gemp_bag_next(const gemp_bag *bag, uint32_t at)
{
	return bag->next[at - 1];
}

static inline uint32_t gemp_bag_code(const gemp_bag *bag, uint32_t at)
{
	return (uint32_t)bag->pairs.keys[at - 1];
}

static inline uint64_t gemp_bag_times(const gemp_bag *bag, uint32_t at)
{
	return bag->times[at - 1];
}

#endif
