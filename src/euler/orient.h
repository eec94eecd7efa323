/* orient: directions for undirected edges, so that each vertex has as many in- as out-edges.
 *
 * Each edge is two arcs, one a direction. At each vertex the ends of its edges are paired: who comes along one of a
 * pair leaves along the other. So each arc has a successor, and arcs fall into circuits, each of which there is once
 * more in reverse, of the other arcs of the same edges. Of the two the one with the least arc is taken.
 */

#ifndef GEMP_EULER_ORIENT_H
#define GEMP_EULER_ORIENT_H

#include "euler/euler.h"

/* Collective. plain: undirected edges, each in the row of one of its ends; a closing edge keeps its role. *odd:
 * vertices of all ranks where an odd number of edges ends; not 0: nothing else is done, and `out` is {0}. The plain
 * edges must outlive it. */
gemp_code gemp_euler_orient(gemp_euler_edges *out, const gemp_comm *comm, const gemp_euler_edges *undirected,
                            gemp_count *odd);

#endif
