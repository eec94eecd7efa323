/* components_device: the sets of the edges of one rank on its device, from all edges or from a part of them, and the
 * components of a single rank. It also declares the result of all searches for components. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENTS_DEVICE_H

#include "comm/exchange.h"
#include "core/types.h"
#include "device/tuning.h"
#include "topology/edge_sets.h"

enum { GEMP_COMPONENT_CLASSES = 34 };

typedef struct gemp_components {
	size_t rows;
	gemp_vertex *component; /* [rows] the smallest vertex of the component of each own vertex */
	/* [rows] number of vertices, on all ranks, of the component that the own vertex names; 0: it names no component */
	gemp_vertex *size;
	uint64_t *tree; /* [tree_count] own edges of the forest, ascending, with the numbers of gemp_csr_find */
	size_t tree_count;

	/* number of components on all ranks; the forest has vertices - count edges */
	gemp_count count;
	gemp_count isolated;                        /* number of components of one vertex */
	gemp_count with_edges;                      /* number of components with an edge, even if it is a loop */
	gemp_count largest;                         /* number of vertices of a largest component */
	gemp_vertex largest_name;                   /* the smallest name of a largest component */
	gemp_count classes[GEMP_COMPONENT_CLASSES]; /* number of components of 2^(k-1) to 2^k - 1 vertices, k >= 1 */

	bool on_device;       /* true: found on a device; false: on the host */
	double seconds;       /* seconds in which the device, or the host, worked */
	uint64_t entries;     /* number of targets of own rows that were read */
	double transfers;     /* seconds of copies to and from the device */
	double build;         /* seconds of building or loading kernels */
	double exchange;      /* seconds of the exchange between devices */
	gemp_traffic traffic; /* traffic of this rank */
	unsigned rounds;      /* number of rounds of contraction */
} gemp_components;

/* Collective. Should all ranks work on their devices? `csr` is the rows of `count` types. */
bool gemp_components_choose_devices(const gemp_comm *comm, const gemp_device *device, const gemp_csr *csr, size_t count,
                                    gemp_placement place);

/* Local. count is at least 1. may_sample: rows of a symmetric type may be left out. The caller frees after a failure.
 * The seconds of the kernels are in timings. */
gemp_code gemp_edge_sets_new(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, size_t count,
                             gemp_set_edges edges, bool may_sample);
/* Local. Appends the edges of tree[rows] to the forest. */
gemp_code gemp_edge_sets_read_tree(gemp_edge_sets *sets, gemp_components *out);

/* Local. For a single rank. Sets component[], tree[] (in any order), on_device, seconds and transfers. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree);

#endif
