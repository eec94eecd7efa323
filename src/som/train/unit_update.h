/* unit_update: sums of samples by best unit, and units out of them (batch); or an affine map of each unit's values (online).
 *
 * Planes are float[planes][units]: a sum for each value, then a count, or, with missing values, a count for each value. In online
 * training w becomes a * w + b: planes have b in place of sums, and a in place of counts. Affine maps of ranks are composed, or a
 * rank with all samples makes them for rows of its own (som/train/rank_exchange.h).
 *
 * Sums are added up in double, where the device has it, so that a unit may have any number of samples and values may be far from
 * 0; they leave as floats. A GPU adds to several banks of sums, if samples are many beside units and there is room, so that
 * samples of one unit wait less for each other.
 */

#ifndef GEMP_SOM_TRAIN_UNIT_UPDATE_H
#define GEMP_SOM_TRAIN_UNIT_UPDATE_H

#include "som/map/codebook.h"
#include "som/map/samples.h"
#include "som/map/smooth.h"

/* Values of vectors whose planes are on the device at the same time: count of them from the first on. */
typedef struct gemp_som_values {
	uint32_t first, count;
} gemp_som_values;

typedef struct gemp_som_accumulate {
	gemp_device *device; /* borrowed */
	uint32_t units;
	bool missing;
	gemp_program program;
	cl_kernel add, take, finish, move;
	gemp_buffer sums; /* double[banks][.][units]: 0 but from the first add to take; in online training none */
	cl_uint banks;
} gemp_som_accumulate;

/* Those that will be added are like `samples` in dimensions and in whether values may be missing. most: values at a time; all of
 * them, or less. online: for gemp_som_accumulate_affine alone. */
gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples,
                                  uint32_t units, uint32_t most, bool online);
void gemp_som_accumulate_free(gemp_som_accumulate *accumulate);
/* Samples, of several parts one after another; best: [count] as gemp_som_search_run leaves them. Enqueued, like what follows. */
gemp_code gemp_som_accumulate_add(gemp_som_accumulate *accumulate, const gemp_som_samples *samples,
                                  const gemp_buffer *best, gemp_som_values values);
/* planes = sums and counts of what was added. */
gemp_code gemp_som_accumulate_read(gemp_som_accumulate *accumulate, gemp_som_values values, const gemp_buffer *planes);
/* Values of units with a count above GEMP_SOM_MIN_WEIGHT become sum / count. All values of units are done in their order. */
gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book);
/* They become factor * value + what is added. */
gemp_code gemp_som_accumulate_affine(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book);

typedef struct gemp_som_online {
	gemp_device *device; /* borrowed */
	uint32_t block;      /* values of a work-item */
	gemp_program program;
	cl_kernel run;
	uint32_t tile_rows;   /* rows of the map that a group has */
	size_t group, across; /* work-items of a group, groups beside each other */
} gemp_som_online;

/* How kernels go over units and values (kernels/som/som_online_tiles.clh); 0: as suits the device. */
typedef struct gemp_som_online_shape {
	uint32_t tile_rows,
		tile_columns; /* rows and columns of a group's tile: 32 to 128 units, none above 16; 0 on CPUs: strips */
	uint32_t step;    /* samples at a time: a divisor, not below a 32th of those units */
	uint32_t block;   /* values of a work-item, at most */
} gemp_som_online_shape;

/* samples, most: as for gemp_som_accumulate_new. shape: NULL, or what of it is not 0. */
gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, uint32_t most, const gemp_som_online_shape *shape);
void gemp_som_online_free(gemp_som_online *online);
/* By the tables of `smooth`. Shares of samples in a unit which, whatever the number of samples, come to less than a rounding are
 * left out. begun: after what planes have of earlier samples. rows: whose units are done. Enqueued. */
gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun,
                              gemp_som_rows rows, const gemp_buffer *planes);

#endif
