/* placement: makes the order of the edges from the places of splitters. Each rank gets its part of the order.
 *
 * An edge's place follows from the place of its splitter and its distance from the splitter. Several teams send every
 * edge to the rank of its place. The members of a single team instead follow the stretches in shared memory once more,
 * and each member follows the stretches that have some of its places. */

#ifndef GEMP_EULER_RANKS_PLACEMENT_H
#define GEMP_EULER_RANKS_PLACEMENT_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. values[k] is the distance of splitter k of this team from a fixed splitter, against the direction of the
 * circuit (gemp_euler_rank_list of the list of splitters). list->fixed_splitter is, for a path, the closing edge, which
 * gets no place, or, for a circuit, the first of all edges, which gets the first place. sources: order->source is
 * wanted. */
gemp_code gemp_euler_place_edges(gemp_euler_order *order, gemp_euler_list *list, const gemp_euler_edges *edges,
                                 void *values, bool sources);

#endif
