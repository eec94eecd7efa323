/* join: circuits that meet at vertices become one.
 *
 * Consecutive slots of a row belong to circuits that meet. Each rank unites the circuits of its own rows; the
 * slots at which two sets became one form a forest, and forests of teams are merged (forest.h). The remaining
 * slots are joined with the one before: edges that lead to a run of joined slots rotate their successors (list.h,
 * gemp_euler_rotated).
 */

#ifndef GEMP_EULER_RANKS_JOIN_H
#define GEMP_EULER_RANKS_JOIN_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. lookup: the circuit of each slot; spoilt. joined: [list->count + 1] bits, zero, of the team. *joins:
 * how many are set on all ranks. */
gemp_code gemp_euler_join(gemp_euler_lookup *lookup, const gemp_euler_edges *edges, uint64_t *joined, uint64_t *joins);

/* Collective. The splitters of this team whose stretches change when `joined` is followed: *starts, [*count] numbers
 * for gemp_euler_list_walk; this member's part. */
gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count);

#endif
