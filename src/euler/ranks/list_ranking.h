/* list_ranking: the circuits of a list, or the places of its elements on its only circuit, by contraction until
 * one rank can finish the rest. */

#ifndef GEMP_EULER_RANKS_LIST_RANKING_H
#define GEMP_EULER_RANKS_LIST_RANKING_H

#include "euler/ranks/list.h"

/* Collective. The list of the splitters of `list`, which has been contracted. */
gemp_code gemp_euler_list_of_splitters(gemp_euler_list *out, uint64_t **bounds, const gemp_euler_list *list);

/* Collective. values: [list->count] numbers. Numbers of circuits, equal for elements of one circuit: circuit j of
 * team t is j * teams + t, and team->circuits counts them. */
gemp_code gemp_euler_solve_circuits(gemp_euler_list *list, void *values);
/* The list is one circuit of `total` edges: how far from one element, the same for all, each is. */
gemp_code gemp_euler_solve_places(gemp_euler_list *list, void *values, uint64_t total);

#endif
