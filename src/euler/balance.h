/* balance: degrees that allow an Euler circuit. Undirected edges get directions that give every vertex equal in- and out-degree; and of
 * a graph without a circuit this module says why: which vertices have unequal in- and out-degree (for undirected edges: odd degree),
 * how many components the edges form, and whether there is a path instead (Euler 1736).
 *
 * Each undirected edge is two arcs, one a direction. At each vertex the ends of its edges are paired: whoever arrives along one edge
 * of a pair leaves along the other. So each arc has a successor, and arcs form circuits, each of which exists once more in reverse over
 * the opposite arcs. Of the two circuits the one with the smallest arc is taken.
 */

#ifndef GEMP_EULER_BALANCE_H
#define GEMP_EULER_BALANCE_H

#include "euler/euler.h"

/* Collective. plain: undirected edges, each in the row of one of its ends; a closing edge keeps its role. *odd:
 * vertices of all ranks where an odd number of edges ends; not 0: nothing else is done, and `out` is {0}. The plain
 * edges must outlive it. */
gemp_code gemp_euler_orient(gemp_euler_edges *out, const gemp_comm *comm, const gemp_euler_edges *undirected,
                            gemp_count *odd);

enum { GEMP_EULER_SHOWN = 10 };

typedef struct gemp_euler_unbalanced {
	gemp_vertex vertex;
	uint32_t key_rank;
	uint64_t in, out;
} gemp_euler_unbalanced;

typedef struct gemp_euler_balance {
	gemp_count unbalanced; /* vertices of all ranks; of undirected edges those where an odd number ends */
	size_t example_count;
	gemp_euler_unbalanced examples[GEMP_EULER_SHOWN]; /* the first by key */
	gemp_count components;                            /* with edges */
	bool path;                                        /* there is one, */
	gemp_vertex start, end; /* from here to there; GEMP_NO_VERTEX: degrees are not those of a path */
} gemp_euler_balance;

/* Collective. key_rank[own rows]: the order of keys; NULL: that of ids. */
gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank);

#endif
