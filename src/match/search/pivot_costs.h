/* pivot_costs: the costs of a search's pivots, by which the load balancer cuts them into chunks. The cost of a pivot
 * is an estimate of the entries that the search from it reads in its first two steps. All ranks have the same rows,
 * so they find the same costs, on the host or on a device. */

#ifndef GEMP_MATCH_SEARCH_PIVOT_COSTS_H
#define GEMP_MATCH_SEARCH_PIVOT_COSTS_H

#include "match/search/search_state.h"

/* Estimating costs must take less time than the search, so from some pivot on, most pivots get the cost of a pivot
 * shortly before them. Returns whether the cost of a pivot is estimated. */
bool gemp_pivot_is_estimated(size_t pivot);

/* Local. Sets cost[search->pivots]. The views are on the device; without the rows of the host, the device finds the
 * costs. */
gemp_code gemp_pivot_costs_find(const gemp_search *search, uint64_t *cost);

#endif
