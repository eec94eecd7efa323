/* device_contraction: joins sets of several ranks that are connected by links, on the devices of all ranks.
 *
 * The same rounds as gemp_contraction of disjoint_sets.h: each link goes to the owner of its greater root, which is
 * hooked to the smallest root among its links; trees of hooked roots become stars (root_names.h); links get the names
 * of the stars' centres; links that became loops, and duplicates, are dropped before they travel. A link is a u64: the
 * greater root in the high half, the smaller one in the low half, both as ids. */

#ifndef GEMP_TOPOLOGY_DEVICE_CONTRACTION_H
#define GEMP_TOPOLOGY_DEVICE_CONTRACTION_H

#include "primitive/sort.h"
#include "topology/root_names.h"

typedef struct gemp_device_contraction {
	gemp_root_names names;
	bool with_edges;
	gemp_buffer link_bounds; /* u64 [ranks + 1] the least link whose high half is in each rank's range */
	/* keys[0] has the links, values[0] their edges (u64), numbered over all ranks, if edges are wanted */
	gemp_sort_buffers links;
	size_t count;          /* number of links */
	gemp_buffer hooked_by; /* u64 [rows] the edge of the link by which an own root was hooked, or GEMP_NO_EDGE */
	unsigned rounds;
} gemp_device_contraction;

/* Local. Every own vertex becomes its own root, without links. The caller frees after a failure. */
gemp_code gemp_device_contraction_new(gemp_device_contraction *out, const gemp_comm *comm, gemp_toolbox *box,
                                      gemp_device_exchange *exchange, const uint64_t *bounds, bool with_edges);
void gemp_device_contraction_free(gemp_device_contraction *contraction);

/* Local. Makes room for `count` links; links that are there are lost. */
gemp_code gemp_device_contraction_reserve(gemp_device_contraction *contraction, size_t count);
/* Local. Appends `count` links without edges, which the caller writes. */
gemp_code gemp_device_contraction_append(gemp_device_contraction *contraction, size_t count);
/* Local. Sorts the links, and drops duplicates and loops, which are UINT64_MAX. */
gemp_code gemp_device_contraction_sort(gemp_device_contraction *contraction);
/* Collective. Sends each link to the owner of the vertex in its high half. The links must ascend. */
gemp_code gemp_device_contraction_send(gemp_device_contraction *contraction, gemp_code code);

/* Collective. Runs rounds until no link is left. Afterwards the name of each own root is the smallest root of the whole
 * component. The codes are agreed. */
gemp_code gemp_device_contraction_run(gemp_device_contraction *contraction, gemp_code code);

#endif
