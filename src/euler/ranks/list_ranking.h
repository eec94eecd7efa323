/* list_ranking: finds the circuits of a list, or the places of its elements on its only circuit.
 *
 * The list is contracted (list.h) until all circuits of two or more elements together have at most team->gather
 * elements. These elements are followed one by one. In a single team one member does this in the team's memory. With
 * several teams every rank does it, over a copy of all remaining elements. Then the levels are expanded in reverse
 * order: each level takes its values from the splitters of its elements. */

#ifndef GEMP_EULER_RANKS_LIST_RANKING_H
#define GEMP_EULER_RANKS_LIST_RANKING_H

#include "euler/ranks/list.h"

/* Collective. Makes the list of the splitters of `list`, which has been contracted. The caller frees *out and *bounds,
 * even after a failure. */
gemp_code gemp_euler_list_of_splitters(gemp_euler_list *out, uint64_t **bounds, const gemp_euler_list *list);

/* Collective. Sets values[list->count], numbers of the team's width. If `total` is 0, a value is the circuit of the
 * element: circuit j of team t is j * teams + t, and team->circuits counts the circuits of this team. Otherwise the
 * list is one circuit of `total` edges, and a value is the distance of the element from a fixed element, the same for
 * all. */
gemp_code gemp_euler_rank_list(gemp_euler_list *list, void *values, uint64_t total);

#endif
