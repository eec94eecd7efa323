/* sets: the sets that the edges of one rank make of its own vertices. Vertices of other ranks that edges lead to are
 * elements, too: two vertices with edges to the same one are in one set.
 */
#ifndef GEMP_TOPOLOGY_SETS_H
#define GEMP_TOPOLOGY_SETS_H

#include "topology/csr.h"
#include "topology/union_find.h"

typedef struct gemp_sets {
	size_t rows;         /* elements 0 .. rows - 1 are own vertices */
	size_t slots;        /* elements rows .. rows + slots - 1 are those of others, a table by hash */
	gemp_link *links;    /* [rows + slots] */
	gemp_link *away;     /* [slots] ids; GEMP_NO_VERTEX: free */
	uint64_t *edge;      /* [rows + slots] the edge that joined the set of which this was the root with another,
	                        as gemp_csr_find has it; GEMP_NO_EDGE: it still is one. NULL: not asked for */
} gemp_sets;

/* Local. Afterwards each element is linked to the root of its set, which is an own vertex. count may be 0. */
gemp_code gemp_sets_new(gemp_sets *out, size_t rows, const gemp_csr *csr, size_t count, bool edges);
void gemp_sets_free(gemp_sets *sets);

#endif
