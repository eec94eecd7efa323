#ifndef GEMP_SOM_TRAIN_TRAINING_H
#define GEMP_SOM_TRAIN_TRAINING_H

#include "som/map/apply.h"
#include "som/map/smooth.h"

/* What ranks tell each other in an epoch. Units are for those whose devices have room for the samples of all ranks;
 * others tell sums, or affine maps. LESS: what takes fewer bytes. */
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

#endif
