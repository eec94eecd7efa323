/* fold_cost: whether groups are folded along edges or counted by a search. The cost of passes is in row entries. */

#ifndef GEMP_QUERY_SEARCH_FOLD_COST_H
#define GEMP_QUERY_SEARCH_FOLD_COST_H

#include "query/search/fold_tables.h"

/* Collective. The number of matches if candidates and ends of edges are independent, and the cost of counting them by
 * the image of `root`. Finds the ends of the pattern's relations. */
gemp_code gemp_fold_estimate(const gemp_fold_source *source, int root, double *matches, double *cost);
/* The cost of carrying values from one pattern vertex to another one. */
double gemp_fold_path_cost(const gemp_fold_source *source, int from, int to);
/* Collective. True if passes of this cost are expected to take less time than a search for so many matches, on all
 * ranks, whose devices may differ. */
bool gemp_fold_pays(const gemp_fold_source *source, gemp_placement place, double matches, double cost);

#endif
