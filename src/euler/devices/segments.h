/* segments: divides the circuits into segments, which lead from splitter to splitter, and ranks the list of segments.
 *
 * Splitters are added in phases (Reid-Miller 1994, with more splitters for what is left): one of `spacing` slots, then
 * one of spacing / 4 of the slots without a label, and so on until every such slot is a splitter. A phase has 2 *
 * spacing rounds of messages, so a walk that crosses ranks at each of its slots has ended with probability 1 - e^-2. */

#ifndef GEMP_EULER_DEVICES_SEGMENTS_H
#define GEMP_EULER_DEVICES_SEGMENTS_H

#include "euler/devices/state.h"

/* Collective. Makes splitters and labels all slots, unless e->overflow becomes true. */
gemp_code gemp_euler_make_segments(gemp_euler_state *e);

/* Collective. Walks until all walkers have ended, or for `limit` rounds after the last walk has begun (0: no limit).
 * Walks begin at the splitters e->started .. end - 1 or, if `listed` is set, at these places of e->on.starts.
 * Sets e->overflow. */
gemp_code gemp_euler_walk(gemp_euler_state *e, size_t end, bool listed, size_t limit);

/* Collective. Gives every device the list of all segments, and ranks it there. e->on.values then has a pair for each
 * segment, which begins with the lowest segment of its circuit or, with `places`, the number of slots from the splitter
 * of segment 0 to its splitter. */
gemp_code gemp_euler_rank_segments(gemp_euler_state *e, bool places);

#endif
