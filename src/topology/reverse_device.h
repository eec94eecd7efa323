/* reverse_device: the reversal of rows on the device of one rank, or on the devices of all ranks together. The edges
 * are sorted by target, stably, and offsets follow from the sorted targets. Between ranks, edges are routed to the
 * owners of their targets in rounds, and each rank then sorts the edges that lead to it. */

#ifndef GEMP_TOPOLOGY_REVERSE_DEVICE_H
#define GEMP_TOPOLOGY_REVERSE_DEVICE_H

#include "topology/owner_router.h"
#include "topology/reversed_rows.h"

/* Local. Fills the arrays of `out`, which are allocated, and sets on_device, seconds and transfers. There are from 1 to
 * 2^32 - 2 edges. */
gemp_code gemp_reverse_on_device(gemp_reversed_rows *out, const gemp_csr *csr, gemp_device *device);

/* Collective. Reverses the rows of all ranks. The router has values of 8 bytes. numbers: out->edge is wanted. The
 * caller frees *out, even after a failure. GEMP_ENOMEM also if more than GEMP_DEVICE_MAX edges lead to a rank. */
gemp_code gemp_reverse_on_devices(gemp_reversed_rows *out, gemp_owner_router *router, const gemp_csr *csr,
                                  bool numbers);

#endif
