/* search_launch: launches the kernel of a search, reads its control words after each launch, and delivers its
 * results. */

#ifndef GEMP_MATCH_SEARCH_SEARCH_LAUNCH_H
#define GEMP_MATCH_SEARCH_SEARCH_LAUNCH_H

#include "match/search/search_state.h"

/* Local. Sets the rows of a round in place of the previous round's rows, and the range of pivots (of pivot_slots) or
 * seeds with which the next restarts begin. The views are borrowed. */
gemp_code gemp_search_rows(gemp_search *search, gemp_view *views, gemp_task_range part);

/* Local. Begins again with the first pivot or seed of the range. No launch may be under way. If `anew` is true, the
 * counts at vertices begin at 0. */
gemp_code gemp_search_restart(gemp_search *search, bool anew);

/* Collective. Does the search's overlap work unless it is done already. */
gemp_code gemp_search_overlap(gemp_search *search);

/* Local. Makes one launch of the deepest stage that can run, or waits for the launch that is under way. *ran is false
 * if no stage can run. The results of the previous launch are delivered while the device is busy. */
gemp_code gemp_search_launch(gemp_search *search, bool *ran);
/* Local. The two halves of a launch, for several devices at once. Between the two halves the caller delivers the
 * results of the previous launch. gemp_search_end waits for the device. */
gemp_code gemp_search_begin(gemp_search *search, bool *ran);
gemp_code gemp_search_end(gemp_search *search);

/* Local. Passes the matches of the last launch to the sink. */
gemp_code gemp_search_deliver(gemp_search *search);

/* True if this rank has no pivots, seeds, tasks or parked workers left, and no launch is under way. */
bool gemp_search_idle(const gemp_search *search);
/* The number of items in the area of a stage and a destination. */
uint32_t gemp_search_items(const gemp_search *search, size_t stage, int destination);

#endif
