/* join: joins circuits that share a vertex to one circuit.
 *
 * Two consecutive slots of a row may lie on different circuits, which share the row's vertex. Each rank unites the
 * circuits of its own rows. The slots at which two sets were united are the edges of a forest, and the forests of the
 * teams are merged (forest.h). Each slot in the merged forest is joined with the slot before it. A run is a sequence of
 * joined slots and the slot before the first of them. The edges that lead to the slots of a run rotate their successors
 * (list.h, gemp_euler_rotated), which makes one circuit of their circuits. */

#ifndef GEMP_EULER_RANKS_JOIN_H
#define GEMP_EULER_RANKS_JOIN_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. lookup: the circuit of each slot; its values are overwritten. joined: [list->count + 1] bits of the team,
 * which are 0 on entry; the bits of joined slots are set. *joins: the number of joined slots on all ranks. */
gemp_code gemp_euler_join(gemp_euler_lookup *lookup, const gemp_euler_edges *edges, uint64_t *joined, uint64_t *joins);

/* Collective. Finds the splitters whose stretches change by `joined`, within this member's part of the team's
 * splitters. *starts: [*count] numbers for gemp_euler_list_walk, which the caller frees. */
gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count);

#endif
