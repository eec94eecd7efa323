/* gathered_view: views of several ranks, with all rows and without edge numbers and merged parallel edges, that GPUs
 * make. The device of each rank maps and sorts the rank's own rows (renumber.h), which then go from device to device
 * (primitive/device_exchange), so every rank uploads and sorts only its part. The hosts have the offsets of all rows,
 * once for each node if possible, and no rows: view->neighbours is NULL.
 *
 * Collective. All ranks have one device each; GPUs, unless a test sets gemp_limits.renumber_min. */

#ifndef GEMP_PARTITION_VIEWS_GATHERED_VIEW_H
#define GEMP_PARTITION_VIEWS_GATHERED_VIEW_H

#include "partition/runtime.h"
#include "partition/views/view.h"

/* Have all ranks a device, and no second one, that may make rows? */
bool gemp_gathered_view_suits(const gemp_runtime *context);

/* If the view is of this kind and fits on the devices beside *taken bytes of other views, view->begin and view->rows
 * are set, gemp_gathered_view_make must follow, and *taken grows. Otherwise *out stays {0}. The parts are loaded. The
 * codes are agreed. */
gemp_code gemp_gathered_view_begin(gemp_view *out, const gemp_runtime *context, const gemp_shard *graph,
                                   const gemp_slot_order *order, const gemp_view_key *key, uint64_t *taken);

/* Seconds within gemp_gathered_view_make. */
typedef struct gemp_gathered_seconds {
	double build, exchange;
} gemp_gathered_seconds;

/* Makes the rows on the devices. Adds to the seconds and to context->traffic. The codes are agreed. */
gemp_code gemp_gathered_view_make(gemp_view *view, gemp_runtime *context, const gemp_shard *graph,
                                  const gemp_slot_order *order, const gemp_residency *residency,
                                  const gemp_view_key *key, bool wide, gemp_gathered_seconds *seconds);

#endif
