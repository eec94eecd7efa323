/* component_sizes_device: the sizes and counts of components on the devices of all ranks.
 *
 * A device counts the rows of its sets. The sizes of sets that another vertex names than their root are few in most
 * graphs; the hosts send them to the owners of the names, whose devices add them. Only the counts reach the host, which
 * gets the sizes themselves if it has memory for them (out->size). On the hosts counting took 13 of 47 ms for the
 * components of R-MAT 24, and 28 of 67 ms on two ranks (H200, 2026-11-30). */

#ifndef GEMP_TOPOLOGY_COMPONENT_SIZES_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENT_SIZES_DEVICE_H

#include "primitive/toolbox.h"
#include "topology/component_sizes.h"
#include "topology/edge_sets.h"

/* Collective. set_of: u32 [rows], the root of each own vertex's set, as a row. name: u32 [rows], the name of the
 * component of each root; NULL with one rank, whose roots are the names. Sets the counts over all ranks, and size[]
 * unless it is NULL, and adds to the traffic. code: the code of this rank's previous steps. The codes are agreed. */
gemp_code gemp_component_sizes_on_devices(gemp_components *out, const gemp_comm *comm, gemp_code code,
                                          const uint64_t *bounds, gemp_toolbox *box, const gemp_edge_sets *sets,
                                          const gemp_buffer *set_of, const gemp_buffer *name);

#endif
