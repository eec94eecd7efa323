/* rank_exchange: three ways in which ranks combine the results of an epoch.
 *
 *   replicas  Each device has the samples of all ranks, and ranks exchange best units instead of sums. The key of a
 *             sample takes 8 bytes, and a unit takes 4 bytes for each value and count in the planes. With few samples
 *             for each unit the exchange of keys is therefore much faster than the exchange of planes. Each rank still
 *             searches only its own samples.
 *   slices    With replicas in online training, each rank makes the affine maps of some rows of the map. Then all
 *             ranks gather the rows.
 *   compose   Without replicas in online training, each rank has affine maps of all units from its own samples. The
 * maps
 *             are composed in the order of ranks: each rank composes the maps of some units, and then all ranks gather
 *             the results. */

#ifndef GEMP_SOM_TRAIN_RANK_EXCHANGE_H
#define GEMP_SOM_TRAIN_RANK_EXCHANGE_H

#include "comm/comm.h"
#include "som/map/samples.h"
#include "som/map/units.h"

typedef struct gemp_som_replicas {
	gemp_device *device;      /* borrowed; NULL if there are no replicas */
	gemp_som_samples samples; /* samples of all ranks in the order of ranks */
	gemp_buffer best;         /* uint64_t[samples.count] keys */
	uint64_t *keys;           /* [samples.count] on the host */
	int *count, *begin;       /* [ranks] number of samples of each rank; index of its first sample */
} gemp_som_replicas;

/* The numbers by which ranks decide whether they make replicas. */
typedef struct gemp_som_replicas_need {
	size_t samples; /* number of samples of all ranks */
	uint32_t dims;
	bool missing;  /* some rank has missing values */
	size_t planes; /* number of values and counts in the planes of all units */
	uint32_t epochs;
	unsigned weight; /* factor for the bytes of a key, which stands for the additional work on all samples */
	size_t spare;    /* bytes of the device that will be allocated later */
} gemp_som_replicas_need;

/* Returns whether copies of the samples and the weighted keys of all epochs take fewer bytes than the planes of all
 * epochs. */
bool gemp_som_replicas_pay(const gemp_som_replicas_need *need);
/* Returns whether the device has enough free memory for replicas. */
bool gemp_som_replicas_fit(const gemp_device *device, const gemp_som_replicas_need *need);

/* Collective. x: [count][dims], this rank's samples. The caller frees *out, also after a failure. */
gemp_code gemp_som_replicas_new(gemp_som_replicas *out, const gemp_comm *comm, gemp_device *device,
                                const gemp_som_replicas_need *need, const float *x, size_t count);
void gemp_som_replicas_free(gemp_som_replicas *replicas);

/* The three steps of an epoch. The first reads this rank's keys from the device. The second gathers the keys of all
 * ranks; it is collective and cannot fail. The third writes all keys to the device. */
gemp_code gemp_som_replicas_read(gemp_som_replicas *replicas, const gemp_comm *comm, const gemp_buffer *best);
void gemp_som_replicas_gather(gemp_som_replicas *replicas, const gemp_comm *comm);
gemp_code gemp_som_replicas_write(const gemp_som_replicas *replicas);

typedef struct gemp_som_slices {
	const gemp_comm *comm; /* borrowed; NULL if ranks exchange no slices */
	gemp_som_grid grid;
	uint32_t planes;
	int *count, *begin; /* [ranks] floats of each rank's rows in all planes; offset of these floats */
} gemp_som_slices;

/* Local. planes * units must be less than 2^31. */
gemp_code gemp_som_slices_new(gemp_som_slices *out, const gemp_comm *comm, const gemp_som_grid *grid, uint32_t planes);
void gemp_som_slices_free(gemp_som_slices *slices);
/* Returns this rank's rows. */
gemp_som_rows gemp_som_slices_own(const gemp_som_slices *slices);

/* The three steps of an epoch, for planes[.][units] on the device and as many floats on the host. The first reads this
 * rank's rows from the device. The second gathers the rows of all ranks; it is collective and cannot fail. The third
 * writes the rows of other ranks to the device. The writes are only enqueued, so host[] must not change until they have
 * ended. */
gemp_code gemp_som_slices_read(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                               float *host);
void gemp_som_slices_gather(const gemp_som_slices *slices, float *host);
gemp_code gemp_som_slices_write(const gemp_som_slices *slices, gemp_device *device, const gemp_buffer *planes,
                                const float *host);

typedef struct gemp_som_compose {
	const gemp_comm *comm;     /* borrowed; NULL if ranks compose no maps */
	uint32_t units, max_units; /* units of the map; maximum number of units of a batch */
	bool missing;
	float *send, *receive; /* a block for each rank */
	int *count, *begin;    /* [ranks] floats of each rank's units; their offset in send[] */
	int *own, *place;      /* [ranks] floats of this rank's units from each rank; their offset in receive[] */
} gemp_som_compose;

/* Local. dims: the maximum number of values at a time. missing: each value has its own factor. */
gemp_code gemp_som_compose_new(gemp_som_compose *out, const gemp_comm *comm, uint32_t units, uint32_t dims,
                               bool missing);
void gemp_som_compose_free(gemp_som_compose *compose);
/* Collective. Cannot fail. planes[.][units] (som/train/unit_update.h) become the composition of all ranks' planes. */
void gemp_som_compose_run(const gemp_som_compose *compose, float *planes, uint32_t dims);

#endif
