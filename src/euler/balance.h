/* balance: degrees that allow an Euler circuit. Undirected edges get directions that give every vertex equal in- and
 * out-degree. For a graph without a circuit this module finds the reason: which vertices have unequal in- and
 * out-degree (for undirected edges: odd degree), how many components the edges form, and whether there is a path
 * instead (Euler 1736).
 *
 * Each undirected edge is two arcs, one in each direction. At each vertex the ends of its edges are paired, and the
 * circuit that arrives along one edge of a pair leaves along the other. So the arcs form circuits in pairs: each
 * circuit has a reverse, made of the opposite arcs. Of the two circuits, the one that has the smallest arc gives the
 * edges their directions.
 */

#ifndef GEMP_EULER_BALANCE_H
#define GEMP_EULER_BALANCE_H

#include "euler/euler.h"

/* Collective. undirected: edges, each in the row of one of its ends; a closing edge is oriented, too, and is the
 * closing edge of `out`. *odd: the number of vertices, over all ranks, of odd degree; if there are any, nothing else is
 * done, and `out` is {0}. `out` borrows the bounds and relations of `undirected`. */
gemp_code gemp_euler_orient(gemp_euler_edges *out, const gemp_comm *comm, const gemp_euler_edges *undirected,
                            gemp_count *odd);

enum { GEMP_EULER_SHOWN = 10 };

typedef struct gemp_euler_unbalanced {
	gemp_vertex vertex;
	uint32_t key_rank; /* the vertex's place in the order of keys */
	uint64_t in, out;  /* degrees */
} gemp_euler_unbalanced;

typedef struct gemp_euler_balance {
	gemp_count unbalanced; /* vertices of all ranks with unequal degrees, or for undirected edges of odd degree */
	size_t example_count;
	gemp_euler_unbalanced examples[GEMP_EULER_SHOWN]; /* the first by key */
	gemp_count components;                            /* that have edges */
	bool path;                                        /* there is a path from start to end */
	gemp_vertex start, end;                           /* GEMP_NO_VERTEX: the degrees are not those of a path */
} gemp_euler_balance;

/* Collective. key_rank[own rows]: the places of the vertices in the order of keys; NULL: examples come in the order of
 * ids. */
gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank);

#endif
