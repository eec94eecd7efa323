/* term: a small graph whose homomorphisms into the host graph are counted, some pairs of its vertices held apart. Host
 * only.
 *
 * An injective match is the term in which every two vertices that are not adjacent must differ. A pair is held apart by
 * subtraction: maps where i and j differ = all maps - maps of the term in which i and j are one vertex.
 */

#ifndef GEMP_COUNT_TERM_H
#define GEMP_COUNT_TERM_H

#include "count/plan.h"

enum { GEMP_MAX_TERM = 7 };

typedef struct gemp_term {
	int size;
	uint8_t adjacent[GEMP_MAX_TERM]; /* bit j: i and j are adjacent */
	uint8_t differ[GEMP_MAX_TERM];   /* bit j: i and j are not adjacent, and must differ */
	bool rooted;                     /* the slot of vertex 0's image is less than those of all others */
} gemp_term;

static inline bool gemp_term_adjacent(const gemp_term *term, int i, int j)
{
	return term->adjacent[i] >> j & 1;
}

static inline bool gemp_term_differ(const gemp_term *term, int i, int j)
{
	return term->differ[i] >> j & 1;
}

void gemp_term_set_differ(gemp_term *term, int i, int j, bool apart);

/* i and j become one vertex, the lesser number. Returns false if no map has them equal: they are adjacent, or one is
 * the root. */
bool gemp_term_merge(const gemp_term *term, int i, int j, gemp_term *out);

/* The term with vertex `root` first and its image the least; then the root differs from all other vertices anyway. */
gemp_term gemp_term_root(const gemp_term *term, int root);

/* Does some automorphism of the adjacency (the pairs that must differ are ignored) map vertex i to j? */
bool gemp_term_equivalent(const gemp_term *term, int i, int j);

/* Are the vertices of the set a cycle through all of them? cycle[] receives them in order. */
bool gemp_term_cycle(const gemp_term *term, unsigned set, int cycle[GEMP_MAX_TERM]);
/* Are every two vertices of the set adjacent? */
bool gemp_term_clique(const gemp_term *term, unsigned set);

/* ATTACHMENT. A sum visits the vertices of a core. The other vertices contribute factors to it: rooted subtrees become
 * vertex tables, triangles on an edge become its support, and vertices adjacent to the whole core become a power of
 * c. */

/* Factors that the attached vertices contribute to each vertex and edge of the core. */
typedef struct gemp_attachments {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* powers */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* symmetric */
	uint8_t ordered_support[GEMP_MAX_TERM]; /* of the edge between the root and another, where the root is the core */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* of rooted terms */
	int common;   /* vertices attached to both ends of a non-adjacent pair, or to all of a core with a centre */
	int codegree; /* vertices attached to the two neighbours of the centre */
} gemp_attachments;

/* Factors are scaled by 6!, so that a fraction of a factor (add_difference of derive.c) stays an integer. */
enum { GEMP_DERIVATION_SCALE = 720 };

/* Sums without an expression: CLIQUES by size, then: */
enum { GEMP_PLAIN_JOINED = GEMP_MAX_TERM + 1, GEMP_PLAIN_PATH_PAIRS, GEMP_PLAIN_SUMS };

/* A term as a linear combination of sums. */
typedef struct gemp_derivation {
	gemp_polynomial sums[GEMP_SUM_NEIGHBOURS + 1]; /* by kind, those that have an expression */
	int64_t plain[GEMP_PLAIN_SUMS];                /* factors of sums without an expression */
	size_t table_count;
	gemp_monomial tables[GEMP_TABLES]; /* of the symbols of place 1 and the support 01; [0] is empty */
} gemp_derivation;

/* Returns false if some vertex has no such factor, or more than GEMP_TABLES tables are needed. Missing tables are added
 * to derivation. Pairs that must differ are ignored: derive.c corrects for them. centre: the middle vertex of a core of
 * three (NEIGHBOURS); -1 for all other cores. */
bool gemp_attach(gemp_attachments *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre);

#endif
