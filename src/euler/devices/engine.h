/* engine: an Euler circuit on the devices of all ranks (kernels/euler/euler_ranks.cl), if the device of one rank cannot
 * gather all edges (gathered.h), which exchanges fewer bytes.
 *
 * Each device has the slots of its rank's vertices, as {next, label, distance, source} (16 bytes), and works on them
 * alone; a step that concerns slots of several ranks ends with one exchange of records (records.h). The steps:
 *
 *   pairing.h   an edge to a vertex of another rank gets its successor from the owner: by a request for the edge, or,
 *               if vertices have at least as many edges as there are ranks, by the number of edges to each vertex
 *   segments.h  some slots become splitters, and walkers label the slots between them; a walker that leaves its rank is
 *               sent on. More of the slots that no walker has passed become splitters after some rounds, and all in
 *               the end, so the number of rounds does not depend on the graph
 *   segments.h  every device gets the list of all segments (8 bytes each) and doubles its pointers without exchange
 *   joining.h   every device unites the circuits of its rows, and rank 0 the forests of all ranks
 *   placing.h   a slot is sent to the rank that owns its place
 *
 * Splitters are farther apart if there are more ranks, so the list of all segments is a fraction of a rank's slots,
 * unless a large part of the edges lie on circuits of a few edges. Slots and splitters have numbers of 31 bits.
 *
 * Functions are collective unless a comment says otherwise: all ranks call them in the same order and return the same
 * code. */

#ifndef GEMP_EULER_DEVICES_ENGINE_H
#define GEMP_EULER_DEVICES_ENGINE_H

#include "device/device.h"
#include "euler/euler.h"

/* Can the engine number the slots of all ranks? The device may be NULL. */
bool gemp_euler_devices_suffice(const gemp_comm *comm, const gemp_device *device, const gemp_euler_edges *edges);

/* Each rank has a device. GEMP_EUSAGE if there are too many edges, GEMP_ENOMEM if they do not fit on a device. */
gemp_code gemp_euler_on_devices(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_euler_edges *edges, const gemp_euler_options *options);

#endif
