/* target_counts: the number of edges at each target, counted on the devices of all ranks by atomic additions.
 *
 * The targets are copied to the device in pieces of gemp_limits.degrees_round edges. There are two ways to the owners
 * of the targets. Either each device counts in a table of the vertices of all ranks, whose parts then go to their
 * owners and are added up: 4 bytes a vertex. Or the targets themselves are routed to their owners: 4 bytes an edge. The
 * smaller number of bytes decides. A single rank counts in a table and exchanges nothing. */

#ifndef GEMP_TOPOLOGY_TARGET_COUNTS_H
#define GEMP_TOPOLOGY_TARGET_COUNTS_H

#include "comm/exchange.h"
#include "topology/csr.h"

typedef struct gemp_target_counts {
	uint64_t *in; /* [rows] borrowed: counters of the own vertices, to which the numbers are added */
	gemp_traffic traffic;
	double seconds;   /* seconds of kernels */
	double transfers; /* seconds of copies to and from the device */
	double exchange;  /* seconds of exchanges between devices */
} gemp_target_counts;

/* Collective. Counts the edges of all types csr[count] together. Rank r owns the ids bounds[r] .. bounds[r + 1] - 1. */
gemp_code gemp_target_counts_add(gemp_target_counts *out, const gemp_comm *comm, gemp_device *device,
                                 const uint64_t *bounds, const gemp_csr *csr, size_t count);

#endif
