/* components_device: the sets of the edges of one rank on its device, from all edges or from a part of them, and the
 * components of a single rank. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENTS_DEVICE_H

#include "device/tuning.h"
#include "topology/component_sizes.h"
#include "topology/edge_sets.h"

/* Collective. Should all ranks work on their devices? `csr` is the rows of `count` types. */
bool gemp_components_choose_devices(const gemp_comm *comm, const gemp_device *device, const gemp_csr *csr, size_t count,
                                    gemp_placement place);

/* Local. count is at least 1. may_sample: rows of a symmetric type may be left out. The caller frees after a failure.
 * The seconds of the kernels are in timings. */
gemp_code gemp_edge_sets_new(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, size_t count,
                             gemp_set_edges edges, bool may_sample);
/* Local. Appends the edges of tree[rows] to the forest. */
gemp_code gemp_edge_sets_read_tree(gemp_edge_sets *sets, gemp_components *out);

/* For the single rank of `comm`. Sets component[] and size[] unless they are NULL, the counts, tree[] (in any order),
 * on_device, seconds and transfers. */
gemp_code gemp_components_on_device(gemp_components *out, const gemp_comm *comm, gemp_device *device,
                                    const gemp_csr *csr, size_t count, bool tree);

#endif
