/* trainer: what a rank has on its device for a training, and one epoch of it.
 *
 * In an epoch all samples are searched, block by block, and give their sums or affine maps to planes, float[planes][units]. Planes
 * of all ranks are combined, smoothed by the neighbourhood, and update the codebook. Where planes of all values do not fit at the
 * same time this is done for some values after the others, by the units that the one search has found.
 *
 * local_code is what has failed on this rank since the ranks last agreed: a rank goes on taking part in collective steps until
 * then.
 */

#ifndef GEMP_SOM_TRAIN_TRAINER_H
#define GEMP_SOM_TRAIN_TRAINER_H

#include "som/map/apply.h"
#include "som/train/rank_exchange.h"
#include "som/train/unit_update.h"

/* What ranks send each other in an epoch: best units, if the device of each rank can hold the samples of all ranks; else sums, or
 * affine maps in online training. AUTO: what takes fewer bytes. */
typedef enum gemp_som_exchange {
	GEMP_SOM_EXCHANGE_AUTO,
	GEMP_SOM_EXCHANGE_SUMS,
	GEMP_SOM_EXCHANGE_UNITS
} gemp_som_exchange;

typedef struct gemp_som_training {
	gemp_som_grid grid;
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	bool online, exponential;  /* else batches, and linear cooling */
	uint32_t epochs, from;     /* of all; the first that is to be done, for those who resume */
	double radius, radius_end; /* of the first epoch and the last */
	double rate, rate_end;     /* online */
	gemp_som_exchange exchange;
	bool quality;            /* errors in each epoch */
	uint32_t snapshot_every; /* a callback finds the codebook after every so many epochs; 0: never */
	const gemp_som_places
		*places; /* to be filled with where this rank's samples are in the end; NULL: they are not looked for */
} gemp_som_training;

typedef struct gemp_som_trainer {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_som_training *how;
	uint32_t units, dims;
	uint32_t values;      /* whose planes are there at a time; the same on all ranks */
	gemp_code local_code; /* what has failed on this rank, until ranks agree next */
	bool missing;         /* values of any rank's samples */
	gemp_som_blocks blocks;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_som_smooth smooth;
	gemp_som_accumulate accumulate;
	gemp_som_online online;
	gemp_som_quality quality;
	gemp_buffer sums, spread;   /* planes */
	gemp_som_replicas replicas; /* of several ranks that exchange best units */
	gemp_som_slices slices;     /* the same, in online training */
	gemp_pinned locked;         /* planes on the host, if they are few */
	float *host;                /* planes there, or elsewhere on the host */
	gemp_som_compose compose;   /* of several ranks that exchange affine maps */
} gemp_som_trainer;

/* What ranks agree on in an epoch. */
typedef struct gemp_som_epoch_result {
	bool stop;        /* this rank is to; then, any of them */
	gemp_som_fit fit; /* of all ranks; of one rank alone it is in the quality's slot */
} gemp_som_epoch_result;

/* Collective. Of {0}; to be freed in any case. x: [count][dims], w: [units][dims]. */
gemp_code gemp_som_trainer_new(gemp_som_trainer *trainer, const gemp_comm *comm, gemp_device *device,
                               const gemp_som_training *how, const float *x, size_t count, uint32_t dims,
                               const float *w);
void gemp_som_trainer_free(gemp_som_trainer *trainer);
/* Else sums, or affine maps. */
bool gemp_som_trainer_sends_units(const gemp_som_trainer *trainer);
/* Collective. A failure that ranks have agreed on; their own stay in local_code. One rank alone does not wait for its device,
 * unless parts come and go. slot: of the quality, for this epoch. */
gemp_code gemp_som_trainer_epoch(gemp_som_trainer *trainer, double radius, double rate, uint32_t slot,
                                 gemp_som_epoch_result *result);
/* Collective. The codebook, with the last bits of rank 0. */
gemp_code gemp_som_trainer_codebook(gemp_som_trainer *trainer, float *w);
/* Collective. Where samples are on the codebook as it is. */
gemp_code gemp_som_trainer_places(gemp_som_trainer *trainer, const gemp_som_places *places);
/* Programs go into the cache. */
gemp_code gemp_som_trainer_store(gemp_som_trainer *trainer);

#endif
