/* gathered: the edges of all ranks move to the device of rank 0, which finds the circuit alone.
 *
 * An H200 finds a circuit of 168 million edges in 22 ms (2026-11-30), while 1 GB needs 40 ms or more from the device of
 * one rank to that of another. So a few bytes for each edge of another rank decide, and not the kernels: a target and a
 * place move once each way, as numbers of as many bits as they need (kernels/euler/euler_gather.cl), where the engine
 * of engine.h needs 13 to 23 bytes an edge. Every device packs, unpacks and copies the part of its own rank. With many
 * ranks the link of rank 0 would be the bottleneck, and the graph must fit on its device. */

#ifndef GEMP_EULER_DEVICES_GATHERED_H
#define GEMP_EULER_DEVICES_GATHERED_H

#include "device/device.h"
#include "euler/euler.h"

/* Collective. Are the numbers of edges and of ranks small enough, and have all ranks GPUs? On CPU devices a copy
 * between ranks costs less than the work, which all cores share otherwise. Whether the edges fit into the memory of the
 * device shows when it is tried. The device may be NULL. */
bool gemp_euler_gathering_suffices(const gemp_comm *comm, const gemp_device *device, const gemp_euler_edges *edges);

/* Collective. GEMP_ENOMEM if the edges do not fit on the device of rank 0. keep_circuits is not supported. */
gemp_code gemp_euler_on_gathered(gemp_euler_result *out, const gemp_comm *comm, gemp_device *device,
                                 const gemp_euler_edges *edges, const gemp_euler_options *options);

#endif
