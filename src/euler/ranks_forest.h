/* ranks_forest: sets of circuits that are united, and edges of the circuit graph of which a forest is kept. */
#ifndef GEMP_EULER_RANKS_FOREST_H
#define GEMP_EULER_RANKS_FOREST_H

#include "euler/ranks_team.h"
#include "euler/ranks_numbers.h"

typedef struct gemp_euler_joint {
	uint64_t a, b; /* circuits */
	uint64_t slot; /* of all ranks */
} gemp_euler_joint;

/* Collective. forest: a forest of this team; afterwards the one of all teams is on the first, and the others have
 * none. A number of a circuit is below `bound`. */
gemp_code gemp_euler_forest_merge(gemp_euler_team *team, gemp_euler_joint **forest, size_t *count, uint64_t bound);

/* Sets as trees: parent[i] < i but for roots. Several threads and processes at once. */
GEMP_INLINE uint64_t gemp_root_of(void *parent, uint64_t i, bool wide)
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

/* True: they were apart. */
GEMP_INLINE bool gemp_unite(void *parent, uint64_t a, uint64_t b, bool wide)
{
	for (;;) {
		a = gemp_root_of(parent, a, wide);
		b = gemp_root_of(parent, b, wide);
		if (a == b)
			return false;
		uint64_t larger = a > b ? a : b, smaller = a > b ? b : a;
		if (gemp_number_swap(parent, larger, larger, smaller, wide))
			return true;
	}
}

#endif
