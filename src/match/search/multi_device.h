/* multi_device: the searches of one rank's devices, which take chunks from one balancer side by side, driven by one
 * thread.
 *
 * The searches are a list, beginning with the one on the rank's first device. A device that is idle begins its next
 * launch; whichever has ended is read back. Sinks are called by this thread alone, while devices are busy. Where pivots
 * are not balanced (partial matches travel, rows come in rounds, seeds), the first device works alone.
 */

#ifndef GEMP_MATCH_SEARCH_MULTI_DEVICE_H
#define GEMP_MATCH_SEARCH_MULTI_DEVICE_H

#include "match/filter/candidates.h"
#include "match/search/search_state.h"
#include "partition/views/resident.h"

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
