/* components: which vertices hang together, whatever the directions of edges (weak connectivity), and a spanning
 * forest.
 *
 * A component is named by its least vertex, so that the names do not depend on who finds them. On a device or on the
 * host's threads: lock-free union-find over a sample of the edges, then over the rest, of which most then find that
 * their ends are joined. Across ranks each finds the sets of its own edges, with the vertices that others own as
 * elements; what joins sets of different ranks is contracted in rounds of hooking to a smaller neighbour and pointer
 * jumping, each vertex at its owner. No rank ever has all vertices.
 */
#ifndef GEMP_TOPOLOGY_COMPONENTS_H
#define GEMP_TOPOLOGY_COMPONENTS_H

#include "comm/exchange.h"
#include "device/device.h"
#include "primitive/place.h"
#include "topology/csr.h"

enum { GEMP_COMPONENT_CLASSES = 34 };

typedef struct gemp_components_options {
	gemp_where place;
	bool tree; /* the edges of a spanning forest, too */
} gemp_components_options;

typedef struct gemp_components {
	size_t rows;
	gemp_vertex *component;  /* [rows] of own vertices: the least vertex of its component */
	uint64_t *tree;          /* [tree_count] own edges of the forest, ascending, numbered as gemp_csr_find has it */
	size_t tree_count;

	gemp_count count;        /* components of all ranks; all vertices but so many are edges of the forest */
	gemp_count isolated;     /* components of one vertex */
	gemp_count with_edges;   /* components with an edge, be it a loop */
	gemp_count largest;      /* vertices */
	gemp_vertex largest_name;/* the least one of these */
	gemp_count classes[GEMP_COMPONENT_CLASSES]; /* components of 2^(k-1) to 2^k - 1 vertices, k >= 1 */

	bool on_device;          /* where it was found */
	double seconds;          /* that the device worked, or the host */
	double transfers;        /* seconds of copies to and from the device */
	gemp_traffic traffic;    /* of this rank */
	unsigned rounds;         /* of contraction */
} gemp_components;

/* Collective; count and options are the same on all ranks. bounds[ranks + 1]: who owns which ids. device: NULL, or
 * where it may be done; with several ranks each works on its host. */
gemp_code gemp_components_find(gemp_components *out, const gemp_comm *comm, gemp_device *device, const uint64_t *bounds,
                               const gemp_csr *csr, size_t count, const gemp_components_options *options);
void gemp_components_free(gemp_components *components);

#endif
