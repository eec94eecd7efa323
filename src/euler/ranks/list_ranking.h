/* list_ranking: the circuits of a list, or the places of its elements on its only circuit.
 *
 * The list is contracted (list.h) until at most team->gather elements on circuits of several elements are left. These
 * are followed one by one: by one member in the memory of a single team, otherwise by every rank over a copy of them
 * all. On the way back each level takes its values from the splitters of its elements.
 */

#ifndef GEMP_EULER_RANKS_LIST_RANKING_H
#define GEMP_EULER_RANKS_LIST_RANKING_H

#include "euler/ranks/list.h"

/* Collective. The list of the splitters of `list`, which has been contracted. The caller frees both, also after a
 * failure. */
gemp_code gemp_euler_list_of_splitters(gemp_euler_list *out, uint64_t **bounds, const gemp_euler_list *list);

/* Collective. Sets values[list->count], numbers of the team's width. total 0: the circuit of each element, where
 * circuit j of team t is j * teams + t and team->circuits counts those of this team. Otherwise the list is one circuit
 * of `total` edges, and a value is the distance of the element from one of them, the same for all. */
gemp_code gemp_euler_rank_list(gemp_euler_list *list, void *values, uint64_t total);

#endif
