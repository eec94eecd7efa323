/* forest: a spanning forest of the circuit graph that teams find together, without any team holding the whole
 * graph.
 *
 * Each team has a forest of its own. Teams merge theirs pairwise in log2(teams) steps (a reduction tree). A
 * circuit that only the teams of one block have is closed to all others: an edge that joins closed sets is decided
 * for good, as is one between a closed and an open set. Only edges between open sets travel on, and of these only
 * a forest: at most one fewer than open circuits.
 */

#ifndef GEMP_EULER_RANKS_FOREST_H
#define GEMP_EULER_RANKS_FOREST_H

#include "euler/ranks/team_exchange.h"

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

/* Collective. Circuits that have slots of this team: which step closes each, reach[present->count], the caller's. */
gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **reach);

/* Collective. joints: a forest of this team, all of it open; afterwards settled, on whichever team. A number of a
 * circuit is below `bound`. */
gemp_code gemp_euler_forest_merge(gemp_euler_team *team, gemp_euler_forest *forest, uint64_t bound);

void gemp_euler_forest_free(gemp_euler_forest *forest);

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

#endif
