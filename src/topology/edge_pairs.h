/* edge_pairs: rows (CSR) as a list of edges, each a pair of source and target. */
#ifndef GEMP_TOPOLOGY_EDGE_PAIRS_H
#define GEMP_TOPOLOGY_EDGE_PAIRS_H

#include "topology/device_csr.h"

typedef struct gemp_edge_pair {
	gemp_vertex source, target;
} gemp_edge_pair;

/* HOST, on all threads: pairs[edges of csr]. */
void gemp_edge_pairs_host(const gemp_csr *csr, gemp_edge_pair *pairs);

/* DEVICE. pairs: room for all edges of csr. Does not wait, unless the kernel is built. */
gemp_code gemp_edge_pairs_device(const gemp_device_csr *csr, const gemp_buffer *pairs);

typedef struct gemp_edge_pairs_figures {
	bool on_device;
	double seconds;   /* that the device worked, or the host */
	double transfers; /* of copies to the device and from it */
} gemp_edge_pairs_figures;

/* From the host's memory to the host's memory, wherever it is to be done. device may be NULL. */
gemp_code gemp_edge_pairs(const gemp_csr *csr, gemp_device *device, gemp_where place, gemp_edge_pair *pairs,
                          gemp_edge_pairs_figures *figures);

#endif
