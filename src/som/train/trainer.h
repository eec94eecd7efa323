/* trainer: the state of a training on a rank and its device, and one epoch of it.
 *
 * In an epoch all samples are searched, block by block, and add their sums or affine maps to planes,
 * float[planes][units]. Planes of all ranks are combined, smoothed by the neighbourhood, and update the codebook. If
 * planes of all values do not fit at the same time, an epoch processes some values after the others, all with the
 * units that one search has found.
 *
 * local_code is the first failure of this rank since the ranks last agreed: until then the rank goes on taking part
 * in collective steps.
 */

#ifndef GEMP_SOM_TRAIN_TRAINER_H
#define GEMP_SOM_TRAIN_TRAINER_H

#include "som/map/apply.h"
#include "som/train/rank_exchange.h"
#include "som/train/unit_update.h"

/* The data that ranks exchange in an epoch: best units, if the device of each rank can hold the samples of all
 * ranks; otherwise sums, or affine maps in online training. AUTO: the data that takes fewer bytes. */
typedef enum gemp_som_exchange {
	GEMP_SOM_EXCHANGE_AUTO,
	GEMP_SOM_EXCHANGE_SUMS,
	GEMP_SOM_EXCHANGE_UNITS
} gemp_som_exchange;

typedef struct gemp_som_training {
	gemp_som_grid grid;
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	bool online, exponential;  /* otherwise batch training, and linear cooling */
	uint32_t epochs, from;     /* epochs in all, and the first one to do: not 0 for a training that is resumed */
	double radius, radius_end; /* of the first epoch and the last */
	double rate, rate_end;     /* of online training */
	gemp_som_exchange exchange;
	bool quality;                  /* compute the errors of each epoch */
	uint32_t snapshot_every;       /* callbacks get the codebook after every so many epochs; 0: never */
	const gemp_som_places *places; /* is filled with the units of this rank's samples at the end; NULL: not wanted */
} gemp_som_training;

typedef struct gemp_som_trainer {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_som_training *how;
	uint32_t units, dims;
	uint32_t values;      /* values whose planes are on the device at a time; the same on all ranks */
	gemp_code local_code; /* the first failure of this rank since ranks last agreed */
	bool missing;         /* values of any rank's samples are missing */
	gemp_som_blocks blocks;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_som_smooth smooth;
	gemp_som_accumulate accumulate;
	gemp_som_online online;
	gemp_som_quality quality;
	gemp_buffer sums, spread;   /* planes before and after smoothing */
	gemp_som_replicas replicas; /* if ranks exchange best units */
	gemp_som_slices slices;     /* if ranks exchange best units in online training */
	gemp_pinned locked;         /* page-locked memory of host[], if the planes are small enough */
	float *host;                /* planes on the host, of several ranks */
	gemp_som_compose compose;   /* if ranks exchange affine maps */
} gemp_som_trainer;

/* The numbers that ranks reduce in an epoch. */
typedef struct gemp_som_epoch_result {
	bool stop;        /* on entry: this rank wants to stop; on return: any of them does */
	gemp_som_fit fit; /* of all ranks; if there is one rank it is in the quality's slot instead */
} gemp_som_epoch_result;

/* Collective. Free it also after a failure. x: [count][dims], w: [units][dims]. */
gemp_code gemp_som_trainer_new(gemp_som_trainer *trainer, const gemp_comm *comm, gemp_device *device,
                               const gemp_som_training *how, const float *x, size_t count, uint32_t dims,
                               const float *w);
void gemp_som_trainer_free(gemp_som_trainer *trainer);
/* Do ranks exchange best units, rather than sums or affine maps? */
bool gemp_som_trainer_sends_units(const gemp_som_trainer *trainer);
/* Collective. Returns a failure on which ranks have agreed; other failures stay in local_code. If there is one
 * rank, it does not wait for its device, unless blocks of samples come and go. slot: the quality's slot for this
 * epoch. */
gemp_code gemp_som_trainer_epoch(gemp_som_trainer *trainer, double radius, double rate, uint32_t slot,
                                 gemp_som_epoch_result *result);
/* Collective. Reads the codebook of rank 0, from which those of other ranks may differ in the last bits. */
gemp_code gemp_som_trainer_codebook(gemp_som_trainer *trainer, float *w);
/* Collective. Finds the units of the samples by the current codebook. */
gemp_code gemp_som_trainer_places(gemp_som_trainer *trainer, const gemp_som_places *places);
/* Local. Stores the programs in the cache. */
gemp_code gemp_som_trainer_store(gemp_som_trainer *trainer);

#endif
