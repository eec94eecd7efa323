/* forest: a spanning forest of the circuit graph, without any team holding the whole graph.
 *
 * Each team has a forest of its own rows. The teams merge these pairwise in log2(teams) steps (a reduction tree), in
 * which block b of step s consists of the teams b * 2^s to (b + 1) * 2^s - 1. A circuit that only the teams of one
 * block have is closed there: no other team can add an edge to it. So an edge between two closed sets, or between a
 * closed and an open set, is decided for good. Only edges between open sets travel on, and of these only a forest: at
 * most one fewer than open circuits.
 */

#ifndef GEMP_EULER_RANKS_FOREST_H
#define GEMP_EULER_RANKS_FOREST_H

#include "euler/ranks/team_exchange.h"

/* An edge of the circuit graph: two circuits that share the vertex in whose row the slot lies. */
typedef struct gemp_circuit_edge {
	uint64_t a, b;                /* circuits */
	uint64_t slot;                /* numbered over all ranks */
	uint8_t closing_a, closing_b; /* the step that closes each circuit; 0: no other team has it */
} gemp_circuit_edge;

typedef struct gemp_euler_forest {
	gemp_circuit_edge *edges; /* [count] not decided yet */
	size_t count;
	uint64_t *decided; /* [decided_count] slots */
	size_t decided_count, decided_capacity;
} gemp_euler_forest;

/* Union-find over numbers of either width: parent[i] < i unless i is a root, whose parent is i itself. Several threads
 * and processes may call at the same time. topology/disjoint_sets.h does the same for vertices of 32 bits; it also
 * reports the root that was hooked, and is tuned for edges of a graph. Each step of a search halves the path, so that
 * later searches are shorter. */
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

/* Collective. present: the circuits that have slots of this team. Sets *closing_steps, [present->count], which the
 * caller frees, to the step that closes each circuit. */
gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **closing_steps);

/* Collective. On entry forest->edges is a forest of this team, nothing of it decided; afterwards each edge is
 * redundant, or its slot is in decided[] of one team. Circuits are numbers below `bound`. */
gemp_code gemp_euler_forest_merge(gemp_euler_forest *forest, gemp_euler_team *team, uint64_t bound);
void gemp_euler_forest_free(gemp_euler_forest *forest);

#endif
