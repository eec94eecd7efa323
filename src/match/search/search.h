/* search: a device at work on a plan: tasks in, matches and partial matches out. A rank with several devices has a
 * search on each (multi_device.h).
 *
 * Workers take tasks of a stage until none is left, the result buffer is full, or an area of the outbox is. A worker
 * that cannot go on writes its state (it is parked) and resumes with the next launch of its stage, so that nothing is
 * lost or counted twice. Each stage has its own parked workers, so that deeper stages can always be drained first.
 */

#ifndef GEMP_MATCH_SEARCH_SEARCH_H
#define GEMP_MATCH_SEARCH_SEARCH_H

#include "core/memory.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"

/* Collective. Uploads rows, bitmaps and pivots, and builds the kernel. All is borrowed but the device's copies. Where rows
 * come in rounds, the views given here only tell how long rows are, and nothing of them is uploaded. */
gemp_code gemp_search_new(gemp_search **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                          const gemp_slot_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options);
void gemp_search_free(gemp_search *search);
GEMP_RELEASE(gemp_search_free, gemp_search *)

/* Local. Since the search was made, for each of the plan's steps: partial matches that passed it, entries of rows walked,
 * and vertices searched for in rows; for searches with options.profile. */
gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups);

/* The searches of one rank's devices, which take chunks from one balancer side by side, driven by one
 * thread.
 *
 * The searches are a list, beginning with the one on the rank's first device. A device that is idle begins its next
 * launch; whichever has ended is read back. Sinks are called by this thread alone, while devices are busy. Where pivots
 * are not balanced (partial matches travel, rows come in rounds, seeds), the first device works alone.
 */

/* Collective. Searches like the first on this rank's other devices. All is borrowed, as by gemp_search_new. */
gemp_code gemp_multi_new(gemp_search *first, gemp_resident *rows, const gemp_candidates *candidates,
                         const gemp_search_options *options);

/* Local. As gemp_search_restart, and gemp_search_pivots with gemp_search_balance_cut. */
gemp_code gemp_multi_restart(gemp_search *first, bool anew);
gemp_code gemp_multi_pivots(gemp_search *first, const gemp_vertex *slots, size_t count);
/* Local. For the next run; and what was counted since then goes to the contexts. */
void gemp_multi_start(gemp_search *first, gemp_sink *sink);
void gemp_multi_add_counts(const gemp_search *first);

/* Local. Devices begin what they can, beside what the host does before the next step. */
gemp_code gemp_multi_begin(gemp_search *first);
/* Local. Devices begin what they can, until one launch at least has ended; *ran is false if there was none. */
gemp_code gemp_multi_step(gemp_search *first, bool *ran);
/* Local. After steps: what no launch would deliver. */
gemp_code gemp_multi_finish(gemp_search *first, bool ran);
/* Local. Waits for what is under way, and drops it. */
void gemp_multi_stop(gemp_search *first);

bool gemp_multi_idle(const gemp_search *first);
/* Of all devices together. */
gemp_search_statistics gemp_multi_statistics(const gemp_search *first);

#endif
