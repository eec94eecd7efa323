/* component_sizes: how many components there are, and of how many vertices; how large that of each vertex is. */
#ifndef GEMP_TOPOLOGY_COMPONENT_SIZES_H
#define GEMP_TOPOLOGY_COMPONENT_SIZES_H

#include "topology/components.h"

/* Collective. Fills in what is known of all ranks, from component[]. set_of[rows]: own vertices of one component that
 * have been found to be so here, by the row of one of them; it may be component[] less the first id. */
gemp_code gemp_component_sizes(gemp_components *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               size_t count, const gemp_vertex *set_of);

/* Collective. size[rows]: the vertices of all ranks in the component of each own vertex. */
gemp_code gemp_component_sizes_by_vertex(uint64_t *size, const gemp_components *found, const gemp_comm *comm,
                                         const uint64_t *bounds);

#endif
