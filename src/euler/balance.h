/* balance: degrees that allow an Euler circuit. Undirected edges get directions that give every vertex equal in- and
 * out-degree. For a graph without a circuit this module finds the reason: the vertices of unequal in- and out-degree
 * (for undirected edges: of odd degree), and the number of components of the edges. It also finds whether there is a
 * path instead (Euler 1736).
 *
 * Each undirected edge is two arcs, one in each direction. At each vertex the ends of its edges are paired, and a
 * circuit that arrives along one edge of a pair leaves along the other edge. So the arcs form circuits, and each
 * circuit has a reverse, which consists of the opposite arcs. Of a circuit and its reverse, the circuit with the
 * smallest arc gives the edges their directions. */

#ifndef GEMP_EULER_BALANCE_H
#define GEMP_EULER_BALANCE_H

#include "euler/euler.h"

/* Collective. undirected: edges, each in the row of one of its ends. A closing edge also gets a direction, and is the
 * closing edge of `out`. *odd: the number of vertices of odd degree on all ranks. If it is not 0, nothing else is done,
 * and `out` is {0}. `out` borrows the bounds and relations of `undirected`. */
gemp_code gemp_euler_orient(gemp_euler_edges *out, const gemp_comm *comm, const gemp_euler_edges *undirected,
                            gemp_count *odd);

enum { GEMP_EULER_SHOWN = 10 };

typedef struct gemp_euler_unbalanced {
	gemp_vertex vertex;
	uint32_t key_rank; /* the vertex's number in the order of keys */
	uint64_t in, out;  /* in-degree and out-degree */
} gemp_euler_unbalanced;

typedef struct gemp_euler_balance {
	/* number of vertices on all ranks with unequal degrees, or for undirected edges of odd degree */
	gemp_count unbalanced;
	size_t example_count;
	gemp_euler_unbalanced examples[GEMP_EULER_SHOWN]; /* the unbalanced vertices with the smallest keys */
	gemp_count components;                            /* number of components that have edges */
	bool path;                                        /* there is a path from start to end */
	gemp_vertex start, end;                           /* GEMP_NO_VERTEX: the degrees do not allow a path */
} gemp_euler_balance;

/* Collective. key_rank[own rows]: the numbers of the vertices in the order of keys. If it is NULL, examples come in the
 * order of ids. */
gemp_code gemp_euler_balance_find(gemp_euler_balance *out, const gemp_comm *comm, const gemp_euler_edges *edges,
                                  const uint32_t *key_rank);

#endif
