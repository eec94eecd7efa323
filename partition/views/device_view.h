/* device_view: views whose rows a device makes (partition/views/renumber.h) and the host does not have. For a single
 * rank, and views without edge numbers and merged parallel edges. Local. */

#ifndef GEMP_PARTITION_VIEWS_DEVICE_VIEW_H
#define GEMP_PARTITION_VIEWS_DEVICE_VIEW_H

#include "partition/views/view.h"

/* If the device can make the rows of the view, view->begin and view->rows are set, and gemp_device_view_make must
 * follow. Otherwise *out stays {0}. The parts are loaded. */
gemp_code gemp_device_view_begin(gemp_view *out, const gemp_device *device, const gemp_shard *graph,
                                 const gemp_slot_order *order, const gemp_view_key *key);
/* Makes the rows on the device. *build: seconds of building kernels are added. */
gemp_code gemp_device_view_make(gemp_view *view, gemp_device *device, const gemp_shard *graph,
                                const gemp_slot_order *order, const gemp_view_key *key, bool wide, double *build);

/* Copies the neighbours from the device if the host does not have them. */
gemp_code gemp_device_view_to_host(gemp_view *view);

#endif
