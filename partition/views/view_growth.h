/* view_growth: resident rows follow a patch that adds few edges and vertices and deletes none, on a single rank. New
 * vertices get the slots behind all others. Rows on the host are merged by all threads, rows on a device by kernels
 * that get only the new entries; neither is made anew or uploaded. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_GROWTH_H
#define GEMP_PARTITION_VIEWS_VIEW_GROWTH_H

#include "partition/patch/patch.h"
#include "partition/views/view.h"

/* Local. New vertices follow the others. The arrays must not be shared. */
gemp_code gemp_slot_order_grow(gemp_slot_order *order, uint64_t vertices);

/* The new entries of a view. */
typedef struct gemp_view_growth {
	size_t count;
	uint64_t *keys; /* [count] slot of the row << 32 | slot of the neighbour, ascending; owned */
} gemp_view_growth;

/* Local. Makes the new entries of a view of `graph`, the graph after the patch. *possible becomes false if rows have to
 * be made anew: entries were removed, have numbers, or would have to be merged with equal ones. */
gemp_code gemp_view_growth_new(gemp_view_growth *out, bool *possible, const gemp_shard *graph,
                               const gemp_patch_result *patched, const gemp_slot_order *order,
                               const gemp_view_key *key);
void gemp_view_growth_free(gemp_view_growth *growth);

/* Local. The view gets `rows` rows and the new entries. wide: positions on devices have 64 bits. After an error the
 * view can only be freed. */
gemp_code gemp_view_grow(gemp_view *view, size_t rows, const gemp_view_growth *growth, bool wide);

/* Local, for tests. GEMP_EINTERNAL if the rows differ from the rows that the graph has. The rows of the relations that
 * the view reads must be loaded (gemp_view_load). */
gemp_code gemp_view_check(const gemp_view *view, const gemp_shard *graph, const gemp_slot_order *order,
                          const gemp_view_key *key);

#endif
