/* orient: directions for undirected edges, so that every vertex has equal in- and out-degree.
 *
 * Each edge is two arcs, one a direction. At each vertex the ends of its edges are paired: whoever arrives along
 * one edge of a pair leaves along the other. So each arc has a successor, and arcs form circuits, each of which
 * exists once more in reverse over the opposite arcs. Of the two circuits the one with the smallest arc is taken.
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
