/* rank_exchange: three ways in which ranks combine an epoch.
 *
 * replicas: each device has the samples of all ranks, and ranks exchange best units instead of sums. A sample's key
 *   takes 8 bytes, and a unit's planes 4 bytes for each value and count: if there are few samples for each unit, keys
 *   are exchanged in a
 *   fraction of the time. Each rank still searches only its own samples.
 * slices: with replicas in online training each rank makes the affine maps of some rows of the map, and then
 *   all are gathered.
 * compose: without replicas each rank has affine maps of all units, from its own samples; they are composed in
 *   the order of ranks.
 *   Each rank composes the maps of some units, and then all are gathered.
 */

#ifndef GEMP_SOM_TRAIN_RANK_EXCHANGE_H
#define GEMP_SOM_TRAIN_RANK_EXCHANGE_H

#include "comm/comm.h"
#include "som/map/samples.h"
#include "som/map/units.h"

typedef struct gemp_som_replicas {
	gemp_device *device;      /* borrowed; NULL: there are none */
	gemp_som_samples samples; /* by rank, then in order */
	gemp_buffer best;         /* uint64_t[samples.count] keys */
	uint64_t *keys;           /* [samples.count] on the host */
	int *count, *begin;       /* [ranks] samples of each rank, and its first one */
} gemp_som_replicas;

/* The numbers by which ranks decide about replicas. */
typedef struct gemp_som_replicas_need {
	size_t samples; /* of all ranks */
	uint32_t dims;
	bool missing;  /* values of any rank are missing */
	size_t planes; /* values and counts in planes of all units */
	uint32_t epochs;
	unsigned weight; /* the bytes of a key count so many times, for the work that follows on all samples */
	size_t spare;    /* bytes of the device that will be allocated later */
} gemp_som_replicas_need;

/* Are copies of the samples and the keys of all epochs fewer bytes than the planes of all epochs? */
bool gemp_som_replicas_pay(const gemp_som_replicas_need *need);
/* Has the device enough free memory for replicas? */
bool gemp_som_replicas_fit(const gemp_device *device, const gemp_som_replicas_need *need);

/* Collective. x: [count][dims], this rank's samples. Free it also after a failure. */
gemp_code gemp_som_replicas_new(gemp_som_replicas *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_som_replicas_need *need, const float *x, size_t count);
void gemp_som_replicas_free(gemp_som_replicas *replicas);

/* The steps of an epoch: this rank's keys are read from the device, the keys of all ranks are gathered
 * (collective, cannot fail), and all keys are written to the device. */
gemp_code gemp_som_replicas_read(gemp_som_replicas *replicas, const gemp_comm *comm, const gemp_buffer *best);
void gemp_som_replicas_gather(gemp_som_replicas *replicas, const gemp_comm *comm);
gemp_code gemp_som_replicas_write(const gemp_som_replicas *replicas);

typedef struct gemp_som_slices {
	const gemp_comm *comm; /* borrowed; NULL: there are none */
	gemp_som_grid grid;
	uint32_t planes;
	int *count, *begin; /* [ranks] floats of each rank's rows in all planes */
} gemp_som_slices;

/* Local. planes * units must be less than 2^31. */
gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes);
void gemp_som_slices_free(gemp_som_slices *slices);
/* This rank's rows. */
gemp_som_rows gemp_som_slices_own(const gemp_som_slices *slices);

/* The steps of an epoch, for planes[.][units] on the device and as many floats on the host: this rank's rows are
 * read from the device, the rows of all ranks are gathered (collective, cannot fail), and the rows of other ranks
 * are written to the device. The writes are only enqueued: host[] must not change until they have ended. */
gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                               float *host);
void gemp_som_slices_gather(const gemp_som_slices *slices, float *host);
gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                                const float *host);

typedef struct gemp_som_compose {
	const gemp_comm *comm;     /* borrowed; NULL: ranks exchange something else */
	uint32_t units, max_units; /* of the map; of a batch */
	bool missing;
	float *send, *receive; /* a block for each rank */
	int *count, *begin;    /* [ranks] floats of each rank's units, and where they begin in send[] */
	int *own, *place;      /* [ranks] floats of this rank's units from each rank, and where they begin in receive[] */
} gemp_som_compose;

/* Local. dims: the maximum number of values at a time. missing: each value has a factor of its own. */
gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims,
                               bool missing);
void gemp_som_compose_free(gemp_som_compose *compose);
/* Collective; cannot fail. planes[.][units] (som/train/unit_update.h) become the composition of all ranks' planes. */
void gemp_som_compose_run(const gemp_som_compose *compose, float *planes, uint32_t dims);

#endif
