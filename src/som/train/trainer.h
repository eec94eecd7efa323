/* trainer: the state of a training on a rank and its device, and one epoch of the training.
 *
 * In an epoch all samples are searched, block by block, and their sums or affine maps are added to planes,
 * float[planes][units]. The planes of all ranks are combined. In batch training the neighbourhood function then smooths
 * the planes. Finally each rank updates its codebook from the planes. If planes of all values do not fit at the same
 * time, an epoch processes the values in several groups, all with the units that one search has found.
 *
 * local_code is the first failure of this rank since the ranks last agreed. Until the ranks agree again, the rank takes
 * part in collective steps. */

#ifndef GEMP_SOM_TRAIN_TRAINER_H
#define GEMP_SOM_TRAIN_TRAINER_H

#include "som/map/apply.h"
#include "som/train/rank_exchange.h"
#include "som/train/unit_update.h"

/* The data that ranks exchange in an epoch. UNITS: best units; the device of each rank must then have the samples of
 * all ranks, and if it lacks the memory, ranks exchange sums. SUMS: sums, or affine maps in online training. AUTO: best
 * units if their bytes, weighted by the additional work, are fewer than the bytes of the sums. */
typedef enum gemp_som_exchange {
	GEMP_SOM_EXCHANGE_AUTO,
	GEMP_SOM_EXCHANGE_SUMS,
	GEMP_SOM_EXCHANGE_UNITS
} gemp_som_exchange;

typedef struct gemp_som_training {
	gemp_som_grid grid;
	gemp_som_metric metric;
	gemp_som_neighbourhood neighbourhood;
	bool online, exponential; /* online: false means batch training; exponential: false means linear cooling */
	/* number of epochs in all; the first epoch of this run, which is not 0 if a training is resumed */
	uint32_t epochs, from;
	double radius, radius_end; /* radius of the first and of the last epoch */
	double rate, rate_end;     /* learning rate of the first and of the last epoch, for online training */
	gemp_som_exchange exchange;
	bool quality;                  /* compute the errors of each epoch */
	uint32_t snapshot_every;       /* callbacks get the codebook each time this number of epochs has ended; 0: never */
	const gemp_som_places *places; /* gets the units of this rank's samples at the end; NULL if they are not wanted */
} gemp_som_training;

typedef struct gemp_som_trainer {
	const gemp_comm *comm;
	gemp_device *device;
	const gemp_som_training *how;
	uint32_t units, dims;
	uint32_t values;      /* number of values whose planes are on the device at a time; the same on all ranks */
	gemp_code local_code; /* the first failure of this rank since ranks last agreed */
	bool missing;         /* some rank's samples have missing values */
	gemp_som_blocks blocks;
	gemp_som_codebook book;
	gemp_som_search *search;
	gemp_som_smooth smooth;
	gemp_som_accumulate accumulate;
	gemp_som_online online;
	gemp_som_quality quality;
	gemp_buffer sums, spread;   /* planes before and after smoothing */
	gemp_som_replicas replicas; /* used if ranks exchange best units */
	gemp_som_slices slices;     /* used if ranks exchange best units in online training */
	gemp_pinned locked;         /* page-locked memory of host[], if the planes are small enough */
	float *host;                /* planes on the host, if there are several ranks */
	gemp_som_compose compose;   /* used if ranks exchange affine maps */
} gemp_som_trainer;

/* The numbers that ranks reduce in an epoch. */
typedef struct gemp_som_epoch_result {
	bool stop;        /* at the call: this rank wants to stop; on return: some rank wants to stop */
	gemp_som_fit fit; /* errors of all ranks; with a single rank the quality's slot has them instead */
} gemp_som_epoch_result;

/* Collective. x: [count][dims], w: [units][dims]. The caller frees the trainer, also after a failure. */
gemp_code gemp_som_trainer_new(gemp_som_trainer *trainer, const gemp_comm *comm, gemp_device *device,
                               const gemp_som_training *how, const float *x, size_t count, uint32_t dims,
                               const float *w);
void gemp_som_trainer_free(gemp_som_trainer *trainer);
/* Returns whether ranks exchange best units, and not sums or affine maps. */
bool gemp_som_trainer_sends_units(const gemp_som_trainer *trainer);
/* Collective. Returns a failure on which the ranks have agreed. Other failures stay in local_code. With a single rank
 * the function only enqueues kernels if all samples and all units fit on the device; otherwise it waits for copies.
 * slot: the quality's slot for this epoch. */
gemp_code gemp_som_trainer_epoch(gemp_som_trainer *trainer, double radius, double rate, uint32_t slot,
                                 gemp_som_epoch_result *result);
/* Collective. On all ranks w becomes the codebook of rank 0. The codebooks on the devices of other ranks may differ
 * from it in the last bits. */
gemp_code gemp_som_trainer_codebook(gemp_som_trainer *trainer, float *w);
/* Collective. Finds the units of the samples by the current codebook. */
gemp_code gemp_som_trainer_places(gemp_som_trainer *trainer, const gemp_som_places *places);
/* Local. Stores the programs of the training in the cache, except the program of the search. */
gemp_code gemp_som_trainer_store(gemp_som_trainer *trainer);

#endif
