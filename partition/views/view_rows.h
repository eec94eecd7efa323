/* view_rows: the rows of a view that this rank owns, and those of an index of rows. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_ROWS_H
#define GEMP_PARTITION_VIEWS_VIEW_ROWS_H

#include "partition/views/view.h"

/* Local. Makes the rows of all own vertices, by ascending slot. After a failure the caller frees the partial view. */
gemp_code gemp_view_own_rows(gemp_view *own, const gemp_shard *graph, const gemp_slot_order *order,
                             const gemp_residency *residency, const gemp_view_key *key);

/* Local. Makes the own rows at their places in a view that ranks share: the row of own vertex v begins at the offset of
 * its slot. size[v] is its degree, for which there is room, and becomes the length of its row. *gaps: some row is
 * shorter than its degree. Sets view->loops. */
gemp_code gemp_view_fill_own(gemp_view *view, const gemp_shard *graph, const gemp_slot_order *order,
                             const gemp_view_key *key, uint64_t *size, bool *gaps);

/* Collective. Loads the relations and makes the rows of an index that has only its relations and its part: the own rows
 * of a view whose slots are ids. The graph has no loaded index of the same rows. */
gemp_code gemp_row_index_make(gemp_row_index *index, const gemp_comm *comm, gemp_shard *graph);

#endif
