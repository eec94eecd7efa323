/* join: circuits that share a vertex become one.
 *
 * Two consecutive slots of a row may lie on different circuits, which share the row's vertex. Each rank unites the
 * circuits of its own rows; the slots at which two sets became one are the edges of a forest, and the forests of the
 * teams are merged (forest.h). Each slot that remains is joined with the slot before it: the edges that lead to a run
 * of joined slots rotate their successors (list.h, gemp_euler_rotated), which makes one circuit of all of them.
 */

#ifndef GEMP_EULER_RANKS_JOIN_H
#define GEMP_EULER_RANKS_JOIN_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. lookup: the circuit of each slot; its values are overwritten. joined: [list->count + 1] zero bits of the
 * team, of which those of joined slots are set. *joins: how many are set on all ranks. */
gemp_code gemp_euler_join(gemp_euler_lookup *lookup, const gemp_euler_edges *edges, uint64_t *joined, uint64_t *joins);

/* Collective. This member's part of the splitters of its team whose stretches change by `joined`: *starts, [*count]
 * numbers for gemp_euler_list_walk, which the caller frees. */
gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count);

#endif
