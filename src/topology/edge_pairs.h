/* edge_pairs: rows (CSR) as a list of edges, each a pair of source and target. */

#ifndef GEMP_TOPOLOGY_EDGE_PAIRS_H
#define GEMP_TOPOLOGY_EDGE_PAIRS_H

#include "device/tuning.h"
#include "topology/csr.h"

typedef struct gemp_edge_pairs_stats {
	bool on_device;
	double seconds;   /* that the device worked, or the host */
	double transfers; /* of copies to the device and from it */
} gemp_edge_pairs_stats;

/* From the host's memory to the host's memory, wherever it is to be done. device may be NULL. */
gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_placement place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_stats *figures);

#endif
