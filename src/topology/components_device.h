/* components_device: the sets into which a device unites the ends of the edges of one rank, by union-find with atomic
 * hooking (kernels/topology/components.cl), and the components of a single rank. It also declares the result of all
 * searches for components. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_DEVICE_H
#define GEMP_TOPOLOGY_COMPONENTS_DEVICE_H

#include "comm/exchange.h"
#include "core/types.h"
#include "device/launch.h"
#include "device/tuning.h"
#include "topology/csr.h"

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
	double transfers;     /* seconds of copies to and from the device */
	double build;         /* seconds of building or loading kernels */
	double exchange;      /* seconds of the exchange between devices */
	gemp_traffic traffic; /* traffic of this rank */
	unsigned rounds;      /* number of rounds of contraction */
} gemp_components;

/* Collective. Should all ranks work on their devices? `csr` is the rows of `count` types. */
bool gemp_components_choose_devices(const gemp_comm *comm, const gemp_device *device, const gemp_csr *csr, size_t count,
                                    gemp_placement place);

typedef enum gemp_set_edges {
	GEMP_NO_SET_EDGES,
	GEMP_SET_EDGES,          /* the edges that have united two sets are wanted */
	GEMP_SET_EDGES_AND_ENDS, /* COMPONENTS_ENDS of components.cl */
} gemp_set_edges;

/* Elements are all vertices of the graph: own rows first, then the vertices of higher ranks, then those of lower ranks.
 * This needs 4 bytes for each vertex of all ranks, which is less than a hash table of the remote ends of edges as soon
 * as these are a third of the vertices. */
typedef struct gemp_edge_sets {
	gemp_device *device; /* borrowed */
	cl_uint rows, first, vertices, edges;
	gemp_buffer above; /* u32 [vertices] the root of each element, which is the lowest element of its set */
	gemp_buffer tree;  /* u64 [vertices] the edge that hooked a former root, or GEMP_NO_EDGE */
	gemp_buffer ends;  /* u32 [vertices][2] the row and the target's element of this edge */
	double transfers;  /* seconds of copies */
	double build;      /* seconds of building or loading kernels */
	gemp_timings timings;
	gemp_program program;
	cl_kernel kernels[4];
} gemp_edge_sets;

/* Local. count is at least 1. The caller frees after a failure. The seconds of the kernels are in timings. */
gemp_code gemp_edge_sets_new(gemp_edge_sets *out, gemp_device *device, const gemp_csr *csr, size_t count,
                             gemp_set_edges edges);
void gemp_edge_sets_free(gemp_edge_sets *sets);
/* Local. Appends the edges of tree[rows] to the forest. */
gemp_code gemp_edge_sets_read_tree(gemp_edge_sets *sets, gemp_components *out);

/* Local. For a single rank. Sets component[], tree[] (in any order), on_device, seconds and transfers. */
gemp_code gemp_components_on_device(gemp_components *out, gemp_device *device, const gemp_csr *csr, size_t count,
                                    bool tree);

#endif
