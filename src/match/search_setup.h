/* search_setup: buffers of a search on the device. */
#ifndef GEMP_MATCH_SEARCH_SETUP_H
#define GEMP_MATCH_SEARCH_SETUP_H

#include "match/search.h"

/* Collective up to its end, which ranks have to agree on. */
gemp_code gemp_search_outbox(gemp_search *search);
/* Local. */
gemp_code gemp_search_upload(gemp_search *search, const gemp_residency *residency, gemp_view *views,
                             const gemp_candidates *candidates);
/* Rows for the next launches, uploaded unless they are there; *bytes of them. */
gemp_code gemp_search_views(gemp_search *search, gemp_view *views, size_t *bytes);
/* The pivots of the part, and their bits. */
gemp_code gemp_search_tasks(gemp_search *search);
gemp_code gemp_search_results(gemp_search *search);
gemp_code gemp_search_seed_room(gemp_search *search);
/* Room that an area has for items before the first exchange. */
uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination);
gemp_code gemp_search_tables(gemp_search *search);
/* Collective. Marks are used if they fit on every rank. */
void gemp_search_choose_marks(gemp_search *search);
gemp_code gemp_search_marks(gemp_search *search);
gemp_code gemp_search_counters(gemp_search *search);

#endif
