/* rank_exchange: three ways in which ranks combine an epoch.
 *
 * replicas: each device has the samples of all ranks, so that ranks exchange best units in place of sums. A sample's key takes 8
 *   bytes and a unit's planes 4 for each value and count: where samples are few beside units, keys travel in a fraction of the
 *   time. Each rank still searches its own samples alone.
 * slices: with replicas in online training each rank makes the affine maps of some rows of the map, and then all are gathered.
 * compose: without replicas each rank has affine maps of all units, from its own samples; they become one, in the order of ranks.
 *   Each rank composes those of some units, and then all are gathered.
 */

#ifndef GEMP_SOM_TRAIN_RANK_EXCHANGE_H
#define GEMP_SOM_TRAIN_RANK_EXCHANGE_H

#include "comm/comm.h"
#include "som/map/grid.h"
#include "som/map/samples.h"

typedef struct gemp_som_replicas {
	gemp_device *device;      /* borrowed; NULL: there are none */
	gemp_som_samples samples; /* by rank, then in order */
	gemp_buffer best;         /* uint64_t[samples.count] keys */
	uint64_t *keys;           /* the same on the host */
	int *count, *begin;       /* [ranks] */
} gemp_som_replicas;

/* What the decision for replicas depends on. */
typedef struct gemp_som_replicas_need {
	size_t samples; /* of all ranks */
	uint32_t dims;
	bool missing;  /* values of any rank */
	size_t planes; /* values and counts in planes of all units */
	uint32_t epochs;
	unsigned weight; /* of a key's bytes beside those of planes */
	size_t spare;    /* bytes of the device that others still take */
} gemp_som_replicas_need;

/* Copies and keys of all epochs, by their weight, are fewer bytes than planes are. */
bool gemp_som_replicas_pay(const gemp_som_replicas_need *need);
/* The device has room for them beside what it holds. */
bool gemp_som_replicas_fit(const gemp_device *device, const gemp_som_replicas_need *need);

/* Collective. x: [count][dims] of this rank. To be freed in any case. */
gemp_code gemp_som_replicas_new(gemp_som_replicas *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_som_replicas_need *need, const float *x, size_t count);
void gemp_som_replicas_free(gemp_som_replicas *replicas);

/* This rank's keys leave the device, all ranks' keys meet (collective, cannot fail), and go to the device. */
gemp_code gemp_som_replicas_read(gemp_som_replicas *replicas, const gemp_comm *comm, const gemp_buffer *best);
void gemp_som_replicas_gather(gemp_som_replicas *replicas, const gemp_comm *comm);
gemp_code gemp_som_replicas_write(const gemp_som_replicas *replicas);

typedef struct gemp_som_slices {
	const gemp_comm *comm; /* borrowed; NULL: there are none */
	gemp_som_grid grid;
	uint32_t planes;
	int *count, *begin; /* [ranks] floats of each rank's rows in all planes */
} gemp_som_slices;

/* planes times units: less than 2^31. */
gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes);
void gemp_som_slices_free(gemp_som_slices *slices);
/* This rank's. */
gemp_som_rows gemp_som_slices_own(const gemp_som_slices *slices);

/* planes[.][units]; host: as many floats, which stay as they are until the device has them. This rank's rows leave the device, those
 * of all meet (collective, cannot fail), and those of the others go to the device (enqueued). */
gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                               float *host);
void gemp_som_slices_gather(const gemp_som_slices *slices, float *host);
gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                                const float *host);

typedef struct gemp_som_compose {
	const gemp_comm *comm;     /* borrowed; NULL: there is none */
	uint32_t units, max_units; /* of all; at a time */
	bool missing;
	float *send, *receive; /* a block for each rank */
	int *count, *begin;    /* [ranks] floats of each rank's units */
	int *own, *place;      /* [ranks] floats of this rank's units, from each rank */
} gemp_som_compose;

/* dims: values at a time, at most. missing: there is a factor for each of them. */
gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims,
                               bool missing);
void gemp_som_compose_free(gemp_som_compose *compose);
/* Collective; cannot fail. planes[.][units] (som/train/unit_update.h) of all ranks composed, in place; the same on all ranks. */
void gemp_som_compose_run(const gemp_som_compose *compose, float *planes, uint32_t dims);

#endif
