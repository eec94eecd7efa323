/* distinct_edges: the maps of a term (term.h) in which pattern edges have different images, as a signed sum of terms.
 * Host only.
 *
 * In a graph without loops and parallel edges, the edges a-b and c-d have the same image if a, c have one image and b,
 * d have one image, or a, d and b, c. If two of these four vertices are one vertex, the other two must differ, which a
 * term can say. Otherwise inclusion and exclusion applies: the maps in which both pairs coincide are the maps of the
 * term in which both pairs are merged, and these are subtracted. If the term is connected, so are all summands. */

#ifndef GEMP_COUNT_DISTINCT_EDGES_H
#define GEMP_COUNT_DISTINCT_EDGES_H

#include "count/term.h"

enum { GEMP_MAX_TERM_EDGES = 64, GEMP_MAX_SUMMANDS = 128 };

/* The edges of a pattern. Edges in which two edges have the same two ends are allowed. */
typedef struct gemp_term_edges {
	size_t count;
	int ends[GEMP_MAX_TERM_EDGES][2];
	uint64_t differ[GEMP_MAX_TERM_EDGES]; /* bit f of element e: edges e and f must have different images */
} gemp_term_edges;

/* A signed sum of numbers of maps. */
typedef struct gemp_term_sum {
	size_t count;
	struct {
		gemp_term term;
		int sign; /* 1 or -1 */
	} summands[GEMP_MAX_SUMMANDS];
} gemp_term_sum;

/* The term has the vertices and adjacency of the edges. Returns false if there are too many summands. The sum is empty
 * if no map exists. */
bool gemp_distinct_edges(gemp_term_sum *out, const gemp_term *term, const gemp_term_edges *edges);

#endif
