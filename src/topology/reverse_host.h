/* reverse_host: edges put into rows by target, on the host's threads. */
#ifndef GEMP_TOPOLOGY_REVERSE_HOST_H
#define GEMP_TOPOLOGY_REVERSE_HOST_H

#include "topology/reverse.h"

/* Edges that lead to the vertices of this rank. */
typedef struct gemp_targets {
	gemp_vertex first;         /* id of row 0 */
	size_t rows, count;
	const gemp_vertex *target; /* [count] */
	const gemp_csr *csr;       /* whose rows they are, or NULL: */
	const gemp_vertex *source; /* [count] */
} gemp_targets;

/* The arrays; to be freed also after a failure. */
gemp_code gemp_reversed_new(gemp_reversed *out, size_t rows, size_t edges, bool places);
/* Fills them, and in seconds. */
gemp_code gemp_reverse_on_host(gemp_reversed *out, const gemp_targets *edges);

#endif
