/* list: contraction of circular lists (Reid-Miller 1994; Cole and Vishkin 1986). Level 0 consists of the edges, level n
 * + 1 of the splitters of level n.
 *
 * Elements are numbered over all teams; a team knows the successor of each of its own. About one of `spacing` elements
 * is a splitter, at a random place of its block. From each splitter a walk goes to the next one and labels every
 * element on its way with the splitter and the distance. On circuits without a splitter (orphans) every third element
 * becomes one, and then every element that is left. The splitter where a walk ends records the splitter where it began,
 * so the shorter list links splitters backwards.
 *
 * assembly/list_rank.h ranks lists, too: it takes open lists with weights and names for their ends. This one is
 * restricted to circuits, but has numbers of 4 bytes and shared memory, and keeps several walks of each thread under
 * way to hide memory latency; neither could replace the other without losing speed.
 */

#ifndef GEMP_EULER_RANKS_LIST_H
#define GEMP_EULER_RANKS_LIST_H

#include "euler/ranks/team_exchange.h"

typedef struct gemp_euler_list {
	gemp_euler_team *team;
	bool wide;
	unsigned level;            /* 0: edges */
	const uint64_t *bounds;    /* [teams + 1] numbers of each team's elements */
	uint64_t first_number;     /* bounds[] of this team: the number of its element 0 */
	size_t count;              /* elements of this team */
	size_t own_begin, own_end; /* the elements that this member works on */
	size_t fixed_splitter;     /* an element that must become a splitter; SIZE_MAX: none */
	gemp_euler_block link;     /* [2 * count] numbers: the next element, and the label */
	gemp_euler_block distance; /* [count] from the splitter; NULL: not kept */
	gemp_euler_block weight;   /* [count] to the next element; NULL: 1 each */
	const uint64_t *joined;    /* [count + 1] bits: slots joined with the slot before (join.h); NULL: none */
	size_t splitters;          /* of this team */
	gemp_euler_block splitter, from,
		length; /* [splitters] its element, the splitter before it, the distance from that */
} gemp_euler_list;

/* Splitter k of team t has the number k * teams + t among splitters. The label of an element is 0 if it has none,
 * otherwise the number + 1 of the splitter in whose stretch it lies. With the highest bit set the element itself is
 * splitter k, and the other bits are k + 1. */
GEMP_INLINE uint64_t gemp_euler_label_flag(bool wide)
{
	return wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
}

GEMP_INLINE uint64_t gemp_euler_label_at(const gemp_euler_list *list, size_t x, bool wide)
{
	return gemp_number_at(list->link.at, 2 * x + 1, wide);
}

GEMP_INLINE uint64_t gemp_euler_next_at(const gemp_euler_list *list, size_t x, bool wide)
{
	return gemp_number_at(list->link.at, 2 * x, wide);
}

/* Above level 0 an element that follows itself is a whole circuit, which needs no further contraction. At level 0 it is
 * a loop edge, which takes part like any other. */
GEMP_INLINE bool gemp_euler_closed(const gemp_euler_list *list, size_t x, bool wide)
{
	return list->level > 0 && gemp_euler_next_at(list, x, wide) == list->first_number + x;
}

/* The last slot up to this one that has no bit: the first slot of the run of joined slots that this one ends. */
size_t gemp_euler_run_start(const uint64_t *joined, size_t slot);
/* The successor instead of `slot` where slots are joined: within a run each slot is replaced by the next one, and the
 * last one by the first. */
GEMP_INLINE size_t gemp_euler_rotated(const uint64_t *joined, size_t slot)
{
	if (!joined)
		return slot;
	if (gemp_bits64_test(joined, slot + 1))
		return slot + 1;
	return gemp_bits64_test(joined, slot) ? gemp_euler_run_start(joined, slot) : slot;
}

/* Collective. The caller has set links and weights. Chooses splitters and labels all elements. seconds[2], which may be
 * NULL: of the first walk, and of the orphans. */
gemp_code gemp_euler_list_contract(gemp_euler_list *list, double *seconds);

/* Collective. Walks from some splitters of this team, each to the next splitter: from starts[first .. first + count -
 * 1], or, if starts is NULL, from first .. first + count - 1. */
gemp_code gemp_euler_list_walk(gemp_euler_list *list, const void *starts, size_t first, size_t count);

/* Collective over the team. */
void gemp_euler_list_free(gemp_euler_list *list);

/* A value of each splitter, by the elements that have its label: each rank requests the values of the splitters of
 * other teams that its labels name (gemp_euler_query). */

typedef struct gemp_euler_lookup {
	const gemp_euler_list *list;
	void *own;               /* [splitters] numbers, borrowed */
	gemp_euler_subset named; /* splitters whose stretches have elements here; not used by a single team */
	void *values;            /* [named.count] numbers */
} gemp_euler_lookup;

/* Collective. values[k] of each splitter k of this team, which the lookup borrows. */
gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values);
void gemp_euler_lookup_free(gemp_euler_lookup *lookup);

/* The value of the splitter whose label element x has. */
GEMP_INLINE uint64_t gemp_euler_lookup_at(const gemp_euler_lookup *lookup, size_t x, bool wide)
{
	uint64_t label = gemp_euler_label_at(lookup->list, x, wide), flag = gemp_euler_label_flag(wide);
	if (label & flag)
		return gemp_number_at(lookup->own, (label & ~flag) - 1, wide);
	if (lookup->list->team->teams == 1)
		return gemp_number_at(lookup->own, label - 1, wide);
	return gemp_number_at(lookup->values, gemp_euler_subset_index(&lookup->named, label - 1), wide);
}

#endif
