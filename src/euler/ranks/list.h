/* list: contraction of circular lists (Reid-Miller 1994; Cole and Vishkin 1986). Level 0 consists of the edges,
 * level n + 1 of the splitters of level n.
 *
 * Elements are numbered over all teams; a team knows the successor of each of its own. About one of `spacing`
 * elements is a splitter, at a random place of its block. From each splitter a walk goes to the next one and
 * labels every element on its way with the splitter and the distance. Circuits without a splitter (orphans) get
 * every third of their elements, and then all that are left. Where a walk ends it tells the splitter there about
 * itself, so the shorter list links splitters backwards.
 *
 * assembly/list_rank.h ranks lists, too: it takes open lists with weights and names for their ends. This one is
 * restricted to circuits, but has numbers of 4 bytes and shared memory, and keeps several walks of each thread
 * under way to hide memory latency; neither covers the other's use without losing speed.
 */

#ifndef GEMP_EULER_RANKS_LIST_H
#define GEMP_EULER_RANKS_LIST_H

#include "euler/ranks/team.h"

typedef struct gemp_euler_list {
	gemp_euler_team *team;
	bool wide;
	unsigned level;         /* 0: edges */
	const uint64_t *bounds; /* [teams + 1] numbers of each team's elements */
	uint64_t first_number;  /* the first of this team's */
	size_t count;
	size_t own_begin, own_end; /* of them, this member's */
	size_t fixed_splitter;     /* an element that is a splitter; SIZE_MAX: none in particular */
	gemp_euler_block link;     /* [2 * count] numbers: the next element, and the label */
	gemp_euler_block distance; /* [count] from the splitter; NULL: not kept */
	gemp_euler_block weight;   /* [count] to the next element; NULL: 1 each */
	const uint64_t *joined;    /* [count + 1] bits: slots joined with the one before (ranks_join.h); NULL: none */
	size_t splitters;          /* of this team */
	gemp_euler_block splitter, from, length; /* [splitters] its element; the splitter before it, and how far that is */
} gemp_euler_list;

/* Splitter k of team t has the number k * teams + t among splitters. A label is 0: none; a number + 1: that
 * splitter's stretch; with the highest bit: the element is splitter k, and k + 1 are the other bits. */
GEMP_INLINE uint64_t gemp_euler_label_flag(bool wide)
{
	return wide ? (uint64_t)1 << 63 : (uint64_t)1 << 31;
}

GEMP_INLINE uint64_t gemp_euler_label_at(const gemp_euler_list *list, size_t x, bool wide)
{
	return gemp_number_at(list->link.at, 2 * x + 1, wide);
}

/* The number of the splitter whose stretch has this label. */
GEMP_INLINE uint64_t gemp_euler_label_number(const gemp_euler_list *list, uint64_t label, bool wide)
{
	uint64_t flag = gemp_euler_label_flag(wide);
	return label & flag ? ((label & ~flag) - 1) * list->team->teams + list->team->team : label - 1;
}

GEMP_INLINE uint64_t gemp_euler_next_at(const gemp_euler_list *list, size_t x, bool wide)
{
	return gemp_number_at(list->link.at, 2 * x, wide);
}

/* Of lists but the first, an element that follows itself is a whole circuit, and has no part in what follows. */
GEMP_INLINE bool gemp_euler_closed(const gemp_euler_list *list, size_t x, bool wide)
{
	return list->level > 0 && gemp_euler_next_at(list, x, wide) == list->first_number + x;
}

/* Where runs of joined slots lead to: from each slot to the one before, and from the first of a run to its last. */
size_t gemp_euler_run_start(const uint64_t *joined, size_t slot);
GEMP_INLINE size_t gemp_euler_rotated(const uint64_t *joined, size_t slot)
{
	if (!joined)
		return slot;
	if (gemp_bits64_test(joined, slot + 1))
		return slot + 1;
	return gemp_bits64_test(joined, slot) ? gemp_euler_run_start(joined, slot) : slot;
}

/* Collective. Links and weights are set; splitters are chosen, and all elements labelled. *walk and *orphans:
 * seconds of the walk, and of what came after it; they may be NULL. */
gemp_code gemp_euler_list_contract(gemp_euler_list *list, double *walk, double *orphans);

/* Collective. From splitters starts[first..first + count - 1] of this team, NULL: first .. first + count - 1, to the
 * next. */
gemp_code gemp_euler_list_walk(gemp_euler_list *list, const void *starts, size_t first, size_t count);

void gemp_euler_list_free(gemp_euler_list *list);

/* ranks_lookup: what is known of splitters, at hand wherever an element has their label.
 *
 * Each rank asks the owners for the splitters that its labels name (ranks_inquire.h).
 */

typedef struct gemp_euler_lookup {
	const gemp_euler_list *list;
	void *own;               /* [splitters] numbers, borrowed */
	gemp_euler_subset named; /* splitters with stretches here; of a single team not used */
	void *values;            /* [named.count] numbers */
} gemp_euler_lookup;

/* Collective. values[k] of each splitter k of this team. */
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
