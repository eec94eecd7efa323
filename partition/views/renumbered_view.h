/* renumbered_view: views of a single rank, without edge numbers and merged parallel edges. partition/views/renumber.h
 * makes their rows: on the device if it is a GPU and the view is large, and otherwise on the host. Local. */

#ifndef GEMP_PARTITION_VIEWS_RENUMBERED_VIEW_H
#define GEMP_PARTITION_VIEWS_RENUMBERED_VIEW_H

#include "partition/views/renumber.h"
#include "partition/views/view.h"

/* If the view is of this kind, view->begin and view->rows are set, and gemp_renumbered_view_make must follow. Otherwise
 * *out stays {0}. The parts are loaded. */
gemp_code gemp_renumbered_view_begin(gemp_view *out, const gemp_shard *graph, const gemp_slot_order *order,
                                     const gemp_view_key *key);
/* Makes the rows: on `device` if it is not NULL and can do so, else on the host. *build: seconds of building kernels
 * are added. */
gemp_code gemp_renumbered_view_make(gemp_view *view, gemp_device *device, const gemp_shard *graph,
                                    const gemp_slot_order *order, const gemp_view_key *key, bool wide, double *build);

/* Allocates (*lists)[*count]: the rows of this rank that the view reads. */
gemp_code gemp_view_id_rows(gemp_id_rows **lists, size_t *count, const gemp_shard *graph, const gemp_view_key *key);

/* For any view. Copies the neighbours from the device if the host does not have them. */
gemp_code gemp_renumbered_view_to_host(gemp_view *view);

#endif
