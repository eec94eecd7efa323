/* placement: the order of the edges, of which each rank gets its part, from the places of splitters.
 *
 * An edge's place follows from the place of its splitter and its distance from that splitter. Several teams send every
 * edge to the rank of its place. The members of a single team instead follow the stretches in shared memory once more,
 * and each member follows those that have some of its places.
 */

#ifndef GEMP_EULER_RANKS_PLACEMENT_H
#define GEMP_EULER_RANKS_PLACEMENT_H

#include "euler/euler.h"
#include "euler/ranks/list.h"

/* Collective. values[k] of each splitter k of this team: its distance from one splitter, against the direction of the
 * circuit (gemp_euler_rank_list of the list of splitters). list->fixed_splitter is the closing edge, which gets no
 * place, or, for a circuit, the first of all edges, which gets the first place. sources: order->source is wanted. */
gemp_code gemp_euler_place_edges(gemp_euler_order *order, gemp_euler_list *list, const gemp_euler_edges *edges,
                                 void *values, bool sources);

#endif
