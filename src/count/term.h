/* term: a small graph whose homomorphisms into the host graph are counted, some pairs of its vertices held apart. Host only.
 *
 * An injective match is the term in which every two vertices that are not adjacent must differ. Holding a pair apart or not
 * is a matter of arithmetic: maps where i and j differ = all maps - those of the term in which i and j are one.
 */

#ifndef GEMP_COUNT_TERM_H
#define GEMP_COUNT_TERM_H

#include <stdbool.h>
#include <stdint.h>

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

/* i and j become one vertex, the lesser number. Returns false if no map has them equal: they are adjacent, or one is the root. */
bool gemp_term_merge(const gemp_term *term, int i, int j, gemp_term *out);

/* The term with vertex `root` first and its image the least; then the root differs from all other vertices anyway. */
gemp_term gemp_term_root(const gemp_term *term, int root);

/* Does some automorphism of the adjacency (the pairs that must differ are ignored) map vertex i to j? */
bool gemp_term_equivalent(const gemp_term *term, int i, int j);

/* Are the vertices of the set a cycle through all of them? cycle[] receives them in order. */
bool gemp_term_cycle(const gemp_term *term, unsigned set, int cycle[GEMP_MAX_TERM]);
/* Is each adjacent to each? */
bool gemp_term_clique(const gemp_term *term, unsigned set);

#endif
