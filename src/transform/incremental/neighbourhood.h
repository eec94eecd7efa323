/* neighbourhood: where matches have to be searched after changes, and what they can consist of.
 *
 * Sets of vertices are bitmaps by id, [(vertices + 31) / 32] words, the same on every rank. They grow along role
 * edges (locality.h), one breadth-first step at a time; after each step the ranks merge their bits.
 */

#ifndef GEMP_TRANSFORM_INCREMENTAL_NEIGHBOURHOOD_H
#define GEMP_TRANSFORM_INCREMENTAL_NEIGHBOURHOOD_H

#include "comm/comm.h"
#include "graph/graph.h"
#include "transform/incremental/locality.h"

/* Collective. anchors[(vertices + 31) / 32] become the anchors to which ways lead from marked vertices:
 * mark[graph->rows]. *count: how many. What it needs of the graph is loaded. */
gemp_code gemp_neighbourhood_anchors(uint32_t **anchors, uint64_t *count, const gemp_comm *comm, gemp_shard *graph,
                                     const gemp_locality *locality, const bool *mark);
/* Collective. The vertices that have a role where one of these is the anchor, and more. */
gemp_code gemp_neighbourhood_working_set(uint32_t **bits, uint64_t *count, const gemp_comm *comm, gemp_shard *graph,
                                         const gemp_locality *locality, const uint32_t *anchors);

#endif
