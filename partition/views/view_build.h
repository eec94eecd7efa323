/* view_build: makes a view. Own rows are made from the relations; hot rows are gathered from their owners, or, where all rows are
 * resident, written once per node into shared memory by their owners and exchanged between the first ranks of the nodes. */

#ifndef GEMP_PARTITION_VIEWS_VIEW_BUILD_H
#define GEMP_PARTITION_VIEWS_VIEW_BUILD_H

#include "partition/views/view.h"

/* Collective. Own rows from the loaded relations, hot rows gathered from their owners. To be freed by all ranks of a
 * node at once. */
gemp_code gemp_view_new(gemp_view *out, const gemp_comm *comm, const gemp_shard *graph, const gemp_slot_order *order,
                        const gemp_residency *residency, const gemp_view_key *key);

#endif
