/* components: the weakly connected components of a graph (the directions of edges do not matter), and a spanning
 * forest.
 *
 * The name of a component is its smallest vertex, so names do not depend on the way in which components are found. A
 * device, or the host's threads, run lock-free union-find over a sample of the edges and then over all edges; the ends
 * of most of these are in one set already. With several ranks each rank finds the sets of its own edges, with vertices
 * of other ranks as further elements. Links between sets of different ranks are contracted in rounds: each root is
 * hooked to a smaller neighbour, and pointers are jumped, each pointer by the owner of its vertex. No rank gathers the
 * vertices of all ranks. */

#ifndef GEMP_TOPOLOGY_COMPONENTS_H
#define GEMP_TOPOLOGY_COMPONENTS_H

#include "device/tuning.h"
#include "primitive/toolbox.h"
#include "topology/component_sizes.h"
#include "topology/components_device.h"
#include "topology/csr.h"

typedef struct gemp_components_options {
	gemp_placement place;
	bool tree;      /* the edges of a spanning forest are wanted */
	gemp_form form; /* of the kernels of several ranks' devices */
	/* component[] and size[] are not wanted; devices then leave them out, and hosts make them nevertheless */
	bool counts_only;
} gemp_components_options;

/* Collective. count and options are the same on all ranks. Rank r owns the ids bounds[r] .. bounds[r + 1] - 1. device
 * may be NULL. Either all ranks work on their devices, or all on their hosts: with GEMP_PLACE_AUTO, on devices if every
 * rank has one whose memory suffices, and the rank with the most rows and edges has enough of them. */
gemp_code gemp_components_find(gemp_components *out, const gemp_comm *comm, gemp_device *device, const uint64_t *bounds,
                               const gemp_csr *csr, size_t count, const gemp_components_options *options);
void gemp_components_free(gemp_components *components);

#endif
