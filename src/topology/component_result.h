/* component_result: what is known of the connected components of a graph. */

#ifndef GEMP_TOPOLOGY_COMPONENT_RESULT_H
#define GEMP_TOPOLOGY_COMPONENT_RESULT_H

#include "comm/exchange.h"
#include "core/types.h"

enum { GEMP_COMPONENT_CLASSES = 34 };

typedef struct gemp_components {
	size_t rows;
	gemp_vertex *component; /* [rows] of own vertices: the least vertex of its component */
	uint64_t *tree;         /* [tree_count] own edges of the forest, ascending, numbered as gemp_csr_find has it */
	size_t tree_count;

	gemp_count count;         /* components of all ranks; all vertices but so many are edges of the forest */
	gemp_count isolated;      /* components of one vertex */
	gemp_count with_edges;    /* components with an edge, be it a loop */
	gemp_count largest;       /* vertices */
	gemp_vertex largest_name; /* the least one of these */
	gemp_count classes[GEMP_COMPONENT_CLASSES]; /* components of 2^(k-1) to 2^k - 1 vertices, k >= 1 */

	bool on_device;       /* where it was found */
	double seconds;       /* that the device worked, or the host */
	double transfers;     /* seconds of copies to and from the device */
	gemp_traffic traffic; /* of this rank */
	unsigned rounds;      /* of contraction */
} gemp_components;

#endif
