/* ranks_join: circuits that meet at vertices become one.
 *
 * Slots of one row that follow one another belong to circuits that meet. Each rank unites those of its own rows; of the
 * slots where two sets of circuits became one it keeps a note, and these notes are a forest. Forests of teams are
 * united two by two, so that no message has more edges than there are circuits, less one. What is left says which slots
 * are joined with the one before: the edges that lead to a run of joined slots are followed by one another's slots
 * instead (ranks_list.h, rotated).
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
