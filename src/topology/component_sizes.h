/* component_sizes: the sizes and counts of components that were found, on all threads.
 *
 * Each rank adds up the sizes of its parts of components, and sends the sizes of components that another rank's
 * vertices name to these ranks. */

#ifndef GEMP_TOPOLOGY_COMPONENT_SIZES_H
#define GEMP_TOPOLOGY_COMPONENT_SIZES_H

#include "comm/comm.h"
#include "topology/components_device.h"

/* Collective. Computes size[] and the counts over all ranks from component[], and adds to the traffic. set_of[rows]
 * maps own vertices to rows such that vertices with the same row are in the same component. It may be component[] minus
 * the first id. */
gemp_code gemp_component_sizes(gemp_components *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               size_t count, const gemp_vertex *set_of);

/* Collective. size[rows] becomes the number of vertices, on all ranks, in the component of each own vertex. */
gemp_code gemp_component_sizes_by_vertex(uint64_t *size, const gemp_components *found, const gemp_comm *comm,
                                         const uint64_t *bounds);

#endif
