/* search_buffers: the buffers of a search on its device: rows, bitmaps, tasks, outbox, results, tables and marks; and
 * what sets them for the next run.
 */

#ifndef GEMP_MATCH_SEARCH_SEARCH_BUFFERS_H
#define GEMP_MATCH_SEARCH_SEARCH_BUFFERS_H

#include "match/filter/candidates.h"
#include "match/search/search_state.h"

/* Collective up to its end, which ranks have to agree on. */
gemp_code gemp_search_outbox(gemp_search *search);
/* Local. */
gemp_code gemp_search_upload(gemp_search *search, const gemp_residency *residency, gemp_view *views,
                             const gemp_candidates *candidates);

/* The pivots of the part, and their bits. */
gemp_code gemp_search_tasks(gemp_search *search);
gemp_code gemp_search_results(gemp_search *search);
gemp_code gemp_search_seed_buffer(gemp_search *search);
/* Room that an area has for items before the first exchange. */
uint32_t gemp_search_credits(const gemp_search *search, size_t stage, uint32_t destination);
gemp_code gemp_search_tables(gemp_search *search);
/* Collective. Marks are used if they fit on every rank. */
void gemp_search_choose_marks(gemp_search *search);
gemp_code gemp_search_marks(gemp_search *search);
gemp_code gemp_search_counters(gemp_search *search);

/* Local. The rows of a round, in place of those of the round before, and the pivots (of pivot_slots) or seeds that restarts
 * begin with until the next. The views are borrowed. */
gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_task_range part);
/* Local. Of the pivots only these, slots, ascending. The next part has them. */
void gemp_search_pivots(gemp_search *search, const gemp_vertex *slots, size_t count);
/* Local. A bitmap by slot in place of that of a pattern vertex which has one. */
gemp_code gemp_search_narrow(gemp_search *search, int vertex, const uint32_t *bits);

/* Local. Slots low .. high - 1, in place of the bitmap of one of plan->ranges; not of nested loops. */
gemp_code gemp_search_range(gemp_search *search, int vertex, gemp_vertex low, gemp_vertex high);

/* Where the plan has given vertices: what to start from at the next restart. */
void gemp_search_seed(gemp_search *search, const gemp_vertex *ids, size_t count);
/* Local. From the part's first pivot or seed again, with nothing under way. anew: also what is counted at vertices. */
gemp_code gemp_search_restart(gemp_search *search, bool anew);

/* Collective, as the work is. Unless a launch has done it. */
gemp_code gemp_search_overlap(gemp_search *search);

/* Local. The search's counters, and those set back. */
gemp_code gemp_search_vertex_counts(gemp_search *search);

#endif
