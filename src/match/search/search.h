/* search: runs a plan on a device. A search takes tasks and produces matches and partial matches. A rank with several
 * devices has a search on each of them.
 *
 * Workers take tasks of a stage until no task is left, the result buffer is full, or an area of the outbox is full. A
 * worker that cannot continue stores its state (it is parked) and resumes in the next launch of its stage, so no match
 * is lost or counted twice. Each stage has its own parked workers, so deeper stages can always be drained first. */

#ifndef GEMP_MATCH_SEARCH_SEARCH_H
#define GEMP_MATCH_SEARCH_SEARCH_H

#include "core/memory.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"

/* Collective. Uploads rows, bitmaps and pivots. All arguments are borrowed. If rows come in rounds, the views are not
 * uploaded, and only the lengths of their rows are read. The search can run once search_build.h has built its
 * kernel. */
gemp_code gemp_search_new(gemp_search **out, gemp_runtime *context, const gemp_shard *graph, const gemp_plan *plan,
                          const gemp_slot_order *order, const gemp_residency *residency, gemp_view *views,
                          const gemp_candidates *candidates, const gemp_search_options *options);
void gemp_search_free(gemp_search *search);
GEMP_RELEASE(gemp_search_free, gemp_search *)

/* Local. For searches with options.profile. Adds three numbers for each step of the plan, counted since the search was
 * made: the partial matches that passed the step, the row entries walked, and the lookups. */
gemp_code gemp_search_profile(gemp_search *search, uint64_t *rows, uint64_t *entries, uint64_t *lookups);

/* SEVERAL DEVICES of a rank have a list of searches. The list begins with the search on the rank's first device. The
 * searches take chunks from one balancer. One thread begins the next launch of each idle device, and reads back each
 * launch that has ended. Only this thread calls sinks; it does so while devices are busy. If no balancer distributes
 * the pivots (push, rounds of rows, seeds), the first device works alone. */

/* Collective. Makes a search like `first` on each other device of this rank, unless the first device works alone. All
 * arguments are borrowed. */
gemp_code gemp_multi_new(gemp_search *first, gemp_resident *rows, const gemp_candidates *candidates,
                         const gemp_search_options *options);

/* Local. Calls gemp_search_restart on all devices. */
gemp_code gemp_multi_restart(gemp_search *first, bool anew);
/* Local. Replaces the pivots on all devices, and cuts them into chunks. */
gemp_code gemp_multi_pivots(gemp_search *first, const gemp_vertex *slots, size_t count);
/* Local. Replaces the pivots on all devices, until gemp_multi_all_pivots brings the former pivots back. The slots
 * ascend, and are no more than the former pivots. Several calls in a row replace the same former pivots. */
gemp_code gemp_multi_few_pivots(gemp_search *first, const gemp_vertex *slots, size_t count);
gemp_code gemp_multi_all_pivots(gemp_search *first);
/* Local. The slots of the former pivots, or of the present ones if they are not replaced. */
const gemp_vertex *gemp_multi_former_pivots(const gemp_search *first, size_t *count);
/* Local. Sets the sink of the next run and clears the statistics. */
void gemp_multi_start(gemp_search *first, gemp_sink *sink);
/* Local. Adds the statistics of the run to the work and the timers of the devices' contexts. */
void gemp_multi_add_counts(const gemp_search *first);

/* Local. Begins a launch on each idle device that has work. */
gemp_code gemp_multi_begin(gemp_search *first);
/* Local. Begins a launch on each idle device that has work, and returns when at least one launch has ended. *ran is
 * false if no launch was running. */
gemp_code gemp_multi_step(gemp_search *first, bool *ran);
/* Local. Called after each step. Delivers the results of devices without a further launch; other devices deliver during
 * their next launch. */
gemp_code gemp_multi_finish(gemp_search *first, bool ran);
/* Local. Waits for running launches, and drops their results. */
void gemp_multi_stop(gemp_search *first);

bool gemp_multi_idle(const gemp_search *first);
/* The sum of the statistics of all devices of this rank. */
gemp_search_statistics gemp_multi_statistics(const gemp_search *first);

#endif
