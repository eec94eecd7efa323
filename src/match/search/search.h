/* search: a device at work on a plan: tasks in, matches and partial matches out. A rank with several devices has a
 * search on each (multi_device.h).
 *
 * Workers take tasks of a stage until none is left, the result buffer is full, or an area of the outbox is. A worker
 * that cannot go on writes its state (it is parked) and resumes with the next launch of its stage, so that nothing is
 * lost or counted twice. Each stage has its own parked workers, so that deeper stages can always be drained first.
 */

#ifndef GEMP_MATCH_SEARCH_SEARCH_H
#define GEMP_MATCH_SEARCH_SEARCH_H

#include "match/filter/candidates.h"
#include "match/search/search_state.h"

/* Collective. Uploads rows, bitmaps and pivots, and builds the kernel. All is borrowed but the device's copies. Where rows
 * come in rounds, the views given here only tell how long rows are, and nothing of them is uploaded. */
gemp_code gemp_search_new(gemp_search **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                          const gemp_slot_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options);
void gemp_search_free(gemp_search *search);

/* Local. Since the search was made, for each of the plan's steps: partial matches that passed it, entries of rows walked,
 * and vertices searched for in rows; for searches with options.profile. */
gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups);

#endif
