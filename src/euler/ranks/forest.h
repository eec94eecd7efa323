/* forest: a spanning forest of the circuit graph (euler/euler.h). No team holds the whole graph.
 *
 * Each team has a forest of its own rows. The teams merge these forests pairwise in log2(teams) steps (a reduction
 * tree), in which block b of step s consists of the teams b * 2^s to (b + 1) * 2^s - 1. If only the teams of one block
 * have a circuit, the circuit is closed in that step, since no other team can add an edge to it. A circuit that is not
 * closed is open, and a set of circuits is open if one of its circuits is open. An edge with a closed set at one end is
 * decided for good. An edge between two open sets is deferred. Of the deferred edges only a forest is sent on, which
 * has fewer edges than there are open circuits. */

#ifndef GEMP_EULER_RANKS_FOREST_H
#define GEMP_EULER_RANKS_FOREST_H

#include "euler/ranks/team_exchange.h"

/* An edge of the circuit graph: two circuits that share the vertex in whose row the slot lies. */
typedef struct gemp_circuit_edge {
	uint64_t a, b;                /* circuits */
	uint64_t slot;                /* number of the slot over all ranks */
	uint8_t closing_a, closing_b; /* the step that closes each circuit; 0: only one team has the circuit */
} gemp_circuit_edge;

typedef struct gemp_euler_forest {
	gemp_circuit_edge *edges; /* [count] edges that are not decided yet */
	size_t count;
	uint64_t *decided; /* [decided_count] slots of decided edges */
	size_t decided_count, decided_capacity;
} gemp_euler_forest;

/* Union-find over numbers of 4 or 8 bytes. parent[i] < i, except for a root, whose parent is the root itself. Several
 * threads and processes may call both functions at the same time. Each step of a search halves the path, so later
 * searches are shorter. topology/disjoint_sets.h is the union-find for vertices of 32 bits: it also reports the root
 * that was hooked, and is tuned for edges of a graph. */
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

/* Returns true if the sets were disjoint. A root is hooked by compare-and-swap, so exactly one caller unites two given
 * sets. */
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

/* Collective. present: the circuits that have slots of this team. (*closing_steps)[present->count] become the steps
 * that close these circuits. The caller frees *closing_steps. */
gemp_code gemp_euler_forest_closing(gemp_euler_team *team, const gemp_euler_subset *present, uint8_t **closing_steps);

/* Collective. On entry forest->edges is a forest of this team, of which no edge is decided. On return each edge is
 * either redundant, or its slot is in decided[] of one team. Circuits are numbers below `bound`. */
gemp_code gemp_euler_forest_merge(gemp_euler_forest *forest, gemp_euler_team *team, uint64_t bound);
void gemp_euler_forest_free(gemp_euler_forest *forest);

#endif
