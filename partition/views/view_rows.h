/* view_rows: the rows of a view that this rank owns. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_ROWS_H
#define GEMP_PARTITION_VIEWS_VIEW_ROWS_H

#include "partition/views/view.h"

/* Local. Makes the rows of all own vertices, by ascending slot. After a failure the caller frees the partial view. */
gemp_code gemp_view_own_rows(gemp_view *own, const gemp_shard *graph, const gemp_slot_order *order,
                             const gemp_residency *residency, const gemp_view_key *key);

#endif
