/* view_shared: a view of which a node holds all rows once, in memory that its ranks have in common. */
#ifndef GEMP_PARTITION_VIEW_SHARED_H
#define GEMP_PARTITION_VIEW_SHARED_H

#include "partition/view.h"

/* Collective. All rows, laid out by slot from each rank's own, where there is room for them in shared memory on all
 * nodes: *shared. Each rank copies its rows into place, and the first ranks of the nodes send one another what these
 * lack. */
gemp_code gemp_view_share(gemp_view *out, bool *shared, const gemp_comm *comm, const gemp_graph *graph,
                          const gemp_order *order, const gemp_residency *residency, const gemp_view *own);

#endif
