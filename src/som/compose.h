/* compose: the affine maps that ranks have made of each unit's values become one, in the order of ranks. Each rank composes those
 * of some units, and then all are gathered.
 */
#ifndef GEMP_SOM_COMPOSE_H
#define GEMP_SOM_COMPOSE_H

#include "comm/comm.h"

typedef struct gemp_som_compose {
	const gemp_comm *comm; /* borrowed; NULL: there is none */
	uint32_t units, most;  /* of all; at a time */
	bool missing;
	float *send, *receive; /* a block for each rank */
	int *count, *begin;    /* [ranks] floats of each rank's units */
	int *mine, *place;     /* [ranks] floats of this rank's units, from each rank */
} gemp_som_compose;

extern size_t gemp_som_compose_floats; /* at a time; tests make it small */

/* dims: values at a time, at most. missing: there is a factor for each of them. */
gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims, bool missing);
void gemp_som_compose_free(gemp_som_compose *compose);
/* Collective; cannot fail. planes[.][units] (som/online.h) of all ranks composed, in place; the same on all ranks. */
void gemp_som_compose_run(const gemp_som_compose *compose, float *planes, uint32_t dims);

#endif
