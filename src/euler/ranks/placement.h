/* placement: the order of the edges, each rank its part, from the places of splitters. */

#ifndef GEMP_EULER_RANKS_PLACEMENT_H
#define GEMP_EULER_RANKS_PLACEMENT_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. values[k] of each splitter k of this team: how far it is from one of them, against the direction of
 * the circuit (gemp_euler_solve_places of the list of splitters). list->chosen of its owner is a splitter: with a
 * closing edge that one, which gets no place, and else the first of all edges, which gets the first place. */
gemp_code gemp_euler_place_edges(gemp_euler_order *order, gemp_euler_list *list, const gemp_euler_edges *edges,
                                 void *values, bool sources);

#endif
