/* joining: joins the circuits at vertices that they share. */

#ifndef GEMP_EULER_DEVICES_JOINING_H
#define GEMP_EULER_DEVICES_JOINING_H

#include "euler/devices/state.h"

/* Collective. Counts the circuits, from the list of gemp_euler_rank_segments, and marks the slots of a spanning forest
 * of the circuit graph. Sets out->circuits, joins and components. */
gemp_code gemp_euler_join_circuits(gemp_euler_state *e);
/* Collective. Lists the splitters of this rank whose segments change by rotation in e->on.starts[*count]. From now on
 * walkers rotate successors. */
gemp_code gemp_euler_list_changes(gemp_euler_state *e, size_t *count);

#endif
