/* term: a small graph whose homomorphisms into the host graph are counted. Some pairs of its vertices must have
 * different images. Host only.
 *
 * An injective match is a map of the term in which every two non-adjacent vertices must differ. The condition on a pair
 * i, j is removed by subtraction: maps in which i and j differ = all maps - maps of the term in which i and j are one
 * vertex. */

#ifndef GEMP_COUNT_TERM_H
#define GEMP_COUNT_TERM_H

#include "count/plan.h"

enum { GEMP_MAX_TERM = 7 };

typedef struct gemp_term {
	int size;
	uint8_t adjacent[GEMP_MAX_TERM]; /* bit j: i and j are adjacent */
	uint8_t differ[GEMP_MAX_TERM];   /* bit j: i and j are not adjacent, and must differ */
	bool rooted;                     /* the image of vertex 0 has the least slot of all images */
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

/* Merges i and j into one vertex with the smaller number. Returns false if their images always differ: the vertices are
 * adjacent, or one is the root. */
bool gemp_term_merge(const gemp_term *term, int i, int j, gemp_term *out);

/* Returns the term with vertex `root` as vertex 0, whose image must be the least. The root then differs from all
 * vertices, so its bits in `differ` are cleared. */
gemp_term gemp_term_root(const gemp_term *term, int root);

/* Does some automorphism map vertex i to j? Only adjacency counts, not the pairs that must differ. */
bool gemp_term_equivalent(const gemp_term *term, int i, int j);

/* Do the vertices of the set form a cycle? cycle[] receives them in order. */
bool gemp_term_cycle(const gemp_term *term, unsigned set, int cycle[GEMP_MAX_TERM]);
/* Are every two vertices of the set adjacent? */
bool gemp_term_clique(const gemp_term *term, unsigned set);

/* ATTACHMENT. A sum visits the vertices of a core. The other vertices contribute factors: a rooted subtree becomes a
 * vertex table, a triangle on an edge becomes the edge's support, and a vertex adjacent to the whole core becomes a
 * power of c. */

/* Factors of each vertex and edge of the core. */
typedef struct gemp_attachments {
	uint8_t table[GEMP_MAX_TERM][GEMP_TABLES];     /* the power of each table */
	uint8_t support[GEMP_MAX_TERM][GEMP_MAX_TERM]; /* the power of each support; symmetric */
	uint8_t ordered_support[GEMP_MAX_TERM]; /* if the root is the core: the power of u_01 in the table of a vertex */
	uint8_t low[GEMP_MAX_TERM], up[GEMP_MAX_TERM]; /* in rooted terms: the powers of low_i and up_i */
	int common;   /* vertices attached to both vertices of a non-adjacent pair, or to all of a core with a centre */
	int codegree; /* vertices attached to the two neighbours of the centre */
} gemp_attachments;

/* Factors are multiplied by 6!, so that the fractions of add_difference (derive.c) stay integers. */
enum { GEMP_DERIVATION_SCALE = 720 };

/* Indices of the sums without an expression: the sizes of CLIQUES, then these. */
enum { GEMP_PLAIN_JOINED = GEMP_MAX_TERM + 1, GEMP_PLAIN_PATH_PAIRS, GEMP_PLAIN_SUMS };

/* A term as a linear combination of sums. */
typedef struct gemp_derivation {
	gemp_polynomial sums[GEMP_SUM_NEIGHBOURS + 1]; /* by kind: the sums with an expression */
	int64_t plain[GEMP_PLAIN_SUMS];                /* factors of the sums without an expression */
	size_t table_count;
	/* monomials in the symbols of place 1 and the support 01; tables[0], the degree, is empty */
	gemp_monomial tables[GEMP_TABLES];
} gemp_derivation;

/* Attaches all vertices outside the core. Returns false if some vertex contributes no known factor, or if more than
 * GEMP_TABLES tables are needed. New tables are added to derivation. Pairs that must differ are ignored, since derive.c
 * corrects for them. centre: the middle vertex of a core of three (NEIGHBOURS); -1 for all other cores. */
bool gemp_attach(gemp_attachments *out, gemp_derivation *derivation, const gemp_term *term, unsigned core, int centre);

#endif
