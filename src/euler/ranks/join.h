/* join: circuits that meet at vertices become one.
 *
 * Consecutive slots of a row belong to circuits that meet. Each rank unites the circuits of its own rows; the
 * slots at which two sets became one form a forest, and forests of teams are merged. The remaining
 * slots are joined with the one before: edges that lead to a run of joined slots rotate their successors (list.h,
 * gemp_euler_rotated).
 *
 * Teams find the spanning forest of the circuit graph together, without any team holding the whole graph. Each team has a forest of its
 * own. Teams merge theirs pairwise in log2(teams) steps (a reduction tree). A circuit that only the teams of one block have is closed to
 * all others: an edge that joins closed sets is decided for good, as is an edge between a closed and an open set. Only edges between
 * open sets travel on, and of these only a forest: at most one fewer than open circuits.
 */

#ifndef GEMP_EULER_RANKS_JOIN_H
#define GEMP_EULER_RANKS_JOIN_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* An edge of the circuit graph: two circuits that meet at a slot. */
typedef struct gemp_circuit_edge {
	uint64_t a, b;                /* circuits */
	uint64_t slot;                /* of all ranks */
	uint8_t closing_a, closing_b; /* the step with which they are closed; 0: no other team has them */
} gemp_circuit_edge;

typedef struct gemp_euler_forest {
	gemp_circuit_edge *joints; /* [count] */
	size_t count;
	uint64_t *decided; /* [settled_count] slots */
	size_t decided_count, decided_capacity;
} gemp_euler_forest;

/* Union-find over numbers of either width: parent[i] < i except for roots. Several threads and processes may call
 * at the same time. topology/disjoint_sets.h does the same for vertices of 32 bits; it also reports the root that
 * was hooked, and is tuned for edges of a graph. */
GEMP_INLINE uint64_t gemp_euler_root_of(void *parent, uint64_t i, bool wide)
{
	uint64_t above = gemp_number_load(parent, i, wide);
	while (above != i) {
		uint64_t next = gemp_number_load(parent, above, wide);
		if (next != above)
			gemp_number_store(parent, i, next, wide);
		i = above;
		above = next;
	}
	return i;
}

/* True: the sets were disjoint. A root is hooked by compare-and-swap, so exactly one caller unites two sets. */
GEMP_INLINE bool gemp_euler_unite(void *parent, uint64_t a, uint64_t b, bool wide)
{
	for (;;) {
		a = gemp_euler_root_of(parent, a, wide);
		b = gemp_euler_root_of(parent, b, wide);
		if (a == b)
			return false;
		uint64_t larger = a > b ? a : b, smaller = a > b ? b : a;
		if (gemp_number_cas(parent, larger, larger, smaller, wide))
			return true;
	}
}

/* Collective. lookup: the circuit of each slot; spoilt. joined: [list->count + 1] bits, zero, of the team. *joins:
 * how many are set on all ranks. */
gemp_code gemp_euler_join(gemp_euler_lookup *lookup, const gemp_euler_edges *edges, uint64_t *joined, uint64_t *joins);

/* Collective. The splitters of this team whose stretches change when `joined` is followed: *starts, [*count] numbers
 * for gemp_euler_list_walk; this member's part. */
gemp_code gemp_euler_join_changed(const gemp_euler_list *list, const uint64_t *joined, void **starts, size_t *count);

#endif
