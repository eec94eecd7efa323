/* component_sizes: the result of a search for components, and their sizes and counts if hosts have found them.
 *
 * Each rank adds up the sizes of its sets, and sends the sizes of sets that another vertex names than their root to the
 * owners of the names. component_sizes_device does the same on devices. */

#ifndef GEMP_TOPOLOGY_COMPONENT_SIZES_H
#define GEMP_TOPOLOGY_COMPONENT_SIZES_H

#include "comm/exchange.h"
#include "core/types.h"
#include "topology/csr.h"

enum { GEMP_COMPONENT_CLASSES = 34 };

typedef struct gemp_components {
	size_t rows;
	/* [rows] the smallest vertex of the component of each own vertex; NULL: only counts were wanted */
	gemp_vertex *component;
	/* [rows] number of vertices, on all ranks, of the component that the own vertex names; 0: it names no component;
	 * NULL: only counts were wanted */
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

/* Collective. Computes size[rows], which is 0, and the counts over all ranks from component[], and adds to the traffic.
 * set_of[rows] maps own vertices to rows such that vertices with the same row are in the same component. It may be
 * component[] minus the first id. */
gemp_code gemp_component_sizes(gemp_components *out, const gemp_comm *comm, const uint64_t *bounds, const gemp_csr *csr,
                               size_t count, const gemp_vertex *set_of);

/* Collective. size[rows] becomes the number of vertices, on all ranks, in the component of each own vertex. */
gemp_code gemp_component_sizes_by_vertex(uint64_t *size, const gemp_components *found, const gemp_comm *comm,
                                         const uint64_t *bounds);

/* STEPS */

/* The number of vertices that one set has in a component. */
typedef struct gemp_component_part {
	gemp_vertex component, vertices;
} gemp_component_part;

/* Collective. Sends each part to the owner of the vertex that names the component. The caller frees *received. */
gemp_code gemp_component_parts_send(const gemp_comm *comm, gemp_code code, const uint64_t *bounds,
                                    const gemp_component_part *parts, size_t count, gemp_component_part **received,
                                    size_t *received_count, gemp_traffic *traffic);
/* Collective. The counts of this rank's components become those of all ranks. */
void gemp_component_counts_join(gemp_components *out, const gemp_comm *comm);

#endif
