/* list: contraction of circular lists (Reid-Miller 1994; Cole and Vishkin 1986). The elements of level 0 are the edges,
 * and the elements of level n + 1 are the splitters of level n.
 *
 * Elements are numbered over all teams, and a team knows the successor of each of its elements. About one of `spacing`
 * elements is a splitter, at a random place of its block. From each splitter a walk goes to the next splitter. The
 * elements on its way are the stretch of the splitter, and the walk labels each of them with the splitter and the
 * distance. Orphans are circuits without a splitter: a random third of their elements become splitters, and then every
 * element that is still without a label. The splitter where a walk ends records the splitter where it began, so the
 * shorter list links splitters backwards.
 *
 * assembly/list_rank.h also ranks lists: open lists with weights, and names for their ends. This module takes only
 * circuits, but has numbers of 4 bytes and shared memory, and keeps several walks of each thread under way to hide
 * memory latency. Neither module could replace the other without losing speed. */

#ifndef GEMP_EULER_RANKS_LIST_H
#define GEMP_EULER_RANKS_LIST_H

#include "euler/ranks/team_exchange.h"

typedef struct gemp_euler_list {
	gemp_euler_team *team;
	bool wide;
	unsigned level;            /* 0: elements are edges */
	const uint64_t *bounds;    /* [teams + 1] team t has the numbers [bounds[t], bounds[t + 1]) */
	uint64_t first_number;     /* bounds[] of this team, which is the number of its element 0 */
	size_t count;              /* number of elements of this team */
	size_t own_begin, own_end; /* this member works on the elements own_begin .. own_end - 1 */
	size_t fixed_splitter;     /* an element that must become a splitter; SIZE_MAX: no such element */
	gemp_euler_block link;     /* [2 * count] numbers: next element and label of each element */
	gemp_euler_block distance; /* [count] distance from the splitter of the stretch; NULL: not kept */
	gemp_euler_block weight;   /* [count] distance to the next element; NULL: all are 1 */
	/* [count + 1] a bit for each slot that is joined with the slot before it (join.h); NULL: none is joined */
	const uint64_t *joined;
	size_t splitters; /* number of splitters of this team */
	gemp_euler_block splitter, from,
		length; /* [splitters] the splitter's element; the previous splitter; the distance from the previous splitter */
} gemp_euler_list;

/* Splitter k of team t has the number k * teams + t among splitters. The label of an element is 0 at first, and then 1
 * + the number of the splitter in whose stretch the element lies. If the highest bit of a label is set, the element
 * itself is splitter k of its team, and the other bits are k + 1. */
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

/* Above level 0 an element that follows itself is a whole circuit, which needs no further contraction. At level 0 such
 * an element is a loop edge, which is treated like any other edge. */
GEMP_INLINE bool gemp_euler_closed(const gemp_euler_list *list, size_t x, bool wide)
{
	return list->level > 0 && gemp_euler_next_at(list, x, wide) == list->first_number + x;
}

/* The last slot up to `slot` whose bit is 0. It is the first slot of the run (join.h) that `slot` ends. */
size_t gemp_euler_run_start(const uint64_t *joined, size_t slot);
/* The successor that replaces `slot` after joining. Within a run each slot is replaced by the next slot, and the last
 * slot by the first. */
GEMP_INLINE size_t gemp_euler_rotated(const uint64_t *joined, size_t slot)
{
	if (!joined)
		return slot;
	if (gemp_bits64_test(joined, slot + 1))
		return slot + 1;
	return gemp_bits64_test(joined, slot) ? gemp_euler_run_start(joined, slot) : slot;
}

/* Collective. The caller has set links and weights. Chooses splitters and labels all elements. seconds[2]: the time of
 * the first walk, and of the orphans. seconds may be NULL. */
gemp_code gemp_euler_list_contract(gemp_euler_list *list, double *seconds);

/* Collective. Walks from splitters of this team, each to the next splitter. The walks start at starts[first .. first +
 * count - 1] or, if starts is NULL, at splitters first .. first + count - 1. */
gemp_code gemp_euler_list_walk(gemp_euler_list *list, const void *starts, size_t first, size_t count);

/* Collective over the team. */
void gemp_euler_list_free(gemp_euler_list *list);

/* Finds the value of an element's splitter by the element's label. Each rank has requested the values of the splitters
 * of other teams that its labels name (gemp_euler_query). */

typedef struct gemp_euler_lookup {
	const gemp_euler_list *list;
	void *own;               /* [splitters] values of own splitters, borrowed */
	gemp_euler_subset named; /* the splitters whose stretches have elements here; not used by a single team */
	void *values;            /* [named.count] values of these splitters */
} gemp_euler_lookup;

/* Collective. values[k] is the value of splitter k of this team. The lookup borrows values. */
gemp_code gemp_euler_lookup_new(gemp_euler_lookup *lookup, const gemp_euler_list *list, void *values);
void gemp_euler_lookup_free(gemp_euler_lookup *lookup);

/* The value of the splitter that the label of element x names. */
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
