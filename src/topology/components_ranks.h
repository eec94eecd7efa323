/* components_ranks: finds components on the devices of several ranks.
 *
 * Each rank uploads its rows once and unites the ends of its edges; vertices of other ranks are further elements
 * (components_device.h). Each vertex of another rank that is in a set becomes a link from this set, which is sent to
 * the owner of the vertex; the most frequent set is sent as bitmaps (components_bits.h). The links are contracted
 * (device_contraction.h), and every vertex gets the name of its set's root. For a forest the links are edges that have
 * united two sets. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_RANKS_H
#define GEMP_TOPOLOGY_COMPONENTS_RANKS_H

#include "primitive/toolbox.h"
#include "topology/components_device.h"

/* Collective; the codes are agreed. Sets component[] and size[] unless they are NULL, the counts, tree[] (in any
 * order), on_device, seconds, transfers, exchange, traffic and rounds. count is at least 1, and the graph has a
 * vertex. */
gemp_code gemp_components_on_devices(gemp_components *out, const gemp_comm *comm, gemp_device *device, gemp_form form,
                                     const uint64_t *bounds, const gemp_csr *csr, size_t count, bool tree);

#endif
