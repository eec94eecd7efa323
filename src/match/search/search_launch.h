/* search_launch: launches of a search, and what is read back after each. */

#ifndef GEMP_MATCH_SEARCH_SEARCH_LAUNCH_H
#define GEMP_MATCH_SEARCH_SEARCH_LAUNCH_H

#include "match/search/search_state.h"

/* Local. The rows of a round, in place of those of the round before, and the pivots (of pivot_slots) or seeds that restarts
 * begin with until the next. The views are borrowed. */
gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_task_range part);

/* Local. From the part's first pivot or seed again, with nothing under way. anew: also what is counted at vertices. */
gemp_code gemp_search_restart(gemp_search *search, bool anew);

/* Collective, as the work is. Unless a launch has done it. */
gemp_code gemp_search_overlap(gemp_search *search);

/* Local. One launch of the deepest stage that can run; *ran is false if none can; or the one that is under way. Results of the
 * launch before are delivered while the device is busy. */
gemp_code gemp_search_launch(gemp_search *search, bool *ran);
/* Its parts, for devices that run side by side. Between both, what the launch before has left is to be delivered. */
gemp_code gemp_search_begin(gemp_search *search, bool *ran);
gemp_code gemp_search_end(gemp_search *search); /* waits */

/* Local. Hand the matches of the last launch to the sink. */
gemp_code gemp_search_deliver(gemp_search *search);

/* Nothing left to do here: no pivots, seeds, tasks or parked workers. */
bool gemp_search_idle(const gemp_search *search);
/* Items of an area (stage, destination) so far. */
uint32_t gemp_search_items(const gemp_search *search, size_t stage, int destination);

#endif
