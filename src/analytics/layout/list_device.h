/* list_device: makes the rows of a layout from lists (layout_state.h) on this rank's device, where they stay.
 *
 * Every arc becomes a key of 64 bits, of its target and its source. Two sorts give the rows by target and by source, so
 * the host reads and writes nothing for an arc but copies of the graph's rows. The device needs up to 60 bytes for each
 * arc while it works. */

#ifndef GEMP_ANALYTICS_LAYOUT_LIST_DEVICE_H
#define GEMP_ANALYTICS_LAYOUT_LIST_DEVICE_H

#include "analytics/layout/layout_state.h"

/* Local. Can the device make the rows of all lists, and are there enough arcs to repay the launches
 * (gemp_limits.renumber_min)? */
bool gemp_layout_device_can(const gemp_layout_state *state, const gemp_device *device);

/* Local. On entry the offsets of `in` and `in_ghost` are set. Sets layout->made, and if GEMP_LAYOUT_OUT is in `parts`
 * also the offsets of `out`. GEMP_ENOMEM: the device has too little memory, and the layout is as before. */
gemp_code gemp_layout_make_on_device(gemp_layout_state *state, gemp_device *device, unsigned parts);

#endif
