/* components_device: components of the rows of one rank, on a device, by union-find with atomic hooking; and the result
 * of all searches for components. The kernels are those of kernels/topology/components.cl. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENTS_DEVICE_H

#include "comm/exchange.h"
#include "core/types.h"
#include "device/tuning.h"
#include "topology/csr.h"

enum { GEMP_COMPONENT_CLASSES = 34 };

typedef struct gemp_components {
	size_t rows;
	gemp_vertex *component; /* [rows] for each own vertex the least vertex of its component */
	gemp_vertex
		*size;      /* [rows] vertices, on all ranks, of the component that this own vertex names; 0: it names none */
	uint64_t *tree; /* [tree_count] own edges of the forest, ascending, numbered as gemp_csr_find has it */
	size_t tree_count;

	gemp_count count;                           /* components of all ranks; the forest has vertices - count edges */
	gemp_count isolated;                        /* components of one vertex */
	gemp_count with_edges;                      /* components with an edge, even if it is a loop */
	gemp_count largest;                         /* vertices */
	gemp_vertex largest_name;                   /* the least name of a largest component */
	gemp_count classes[GEMP_COMPONENT_CLASSES]; /* components of 2^(k-1) to 2^k - 1 vertices, k >= 1 */

	bool on_device;       /* found on a device, else by the host */
	double seconds;       /* that the device worked, or the host */
	double transfers;     /* seconds of copies to and from the device */
	gemp_traffic traffic; /* of this rank */
	unsigned rounds;      /* of contraction */
} gemp_components;

bool gemp_components_choose_device(const gemp_device *device, const gemp_csr *csr, size_t count, gemp_placement place);

/* Fills in component[], tree[] (in no order), on_device, seconds and transfers. All edges lead to own vertices. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree);

#endif
