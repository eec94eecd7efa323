/* group: permutation groups of at most GEMP_MAX_POINTS points, as stabiliser chains (Sims 1970). Internal to
 * src/pattern. */
#ifndef GEMP_PATTERN_GROUP_H
#define GEMP_PATTERN_GROUP_H

#include "pattern/symmetry.h"

enum { GEMP_MAX_POINTS = GEMP_MAX_PATTERN_VERTICES + GEMP_MAX_PATTERN_EDGES };

typedef uint8_t gemp_point;

struct gemp_symmetry {
	size_t points, vertices;
	size_t count, capacity;
	int *images; /* [count][points], the generators */
	uint64_t order;
	bool overflow;
};

/* Computes the order. */
gemp_code gemp_symmetry_finish(gemp_symmetry *symmetry);

#endif
