/* search_deal: a search's pivots as a deal: what they cost, and the piece at work. */
#ifndef GEMP_MATCH_SEARCH_DEAL_H
#define GEMP_MATCH_SEARCH_DEAL_H

#include "match/search.h"

/* Pieces that cost less, in entries of rows, are not worth a launch. 0: by device; tests make it small. */
extern uint64_t gemp_least_piece_cost;

/* Can each rank search from any pivot? The same on all ranks. */
bool gemp_search_shares(const gemp_search *search);

/* May a pivot's search be divided by what takes the second place? The same on all ranks. */
bool gemp_search_slices(const gemp_search *search);

/* Collective. Once the search has its shape. */
gemp_code gemp_search_deal_new(gemp_search *search);
/* Local. The pivots are others than before. */
gemp_code gemp_search_deal_cut(gemp_search *search);

/* Local. The next piece, if nothing is left of the last. */
void gemp_search_deal_feed(gemp_search *search);

/* About so much reading the search for matches from a pivot begins with. */
uint64_t gemp_pivot_cost(const gemp_plan *plan, const gemp_view *views, gemp_vertex slot);

#endif
