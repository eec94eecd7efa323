/* unit_update: sums of samples by best unit, and new units from these sums (batch), or an affine map for each value of
 * a unit (online).
 *
 * Planes are float[planes][units]: a plane of sums for each value, and then one plane of counts. With missing values
 * each value has a plane of counts. In online training a value `w` becomes `a` * w + b: planes have `b` in place of
 * sums, and `a` in place of counts. The affine maps of ranks are composed, or a rank with all samples makes the maps of
 * its rows (som/train/rank_exchange.h).
 *
 * Sums are added up in double if the device has doubles, since a unit may have any number of samples, and values may be
 * far from 0. The results are rounded to floats. If there are many samples for each unit and memory is free, a GPU adds
 * to several banks of sums, so fewer atomic additions meet at one address. */

#ifndef GEMP_SOM_TRAIN_UNIT_UPDATE_H
#define GEMP_SOM_TRAIN_UNIT_UPDATE_H

#include "som/map/samples.h"
#include "som/map/smooth.h"
#include "som/map/units.h"

/* The values of vectors whose planes are on the device at the same time: `count` values from `first` on. */
typedef struct gemp_som_values {
	uint32_t first, count;
} gemp_som_values;

typedef struct gemp_som_accumulate {
	gemp_device *device; /* borrowed */
	uint32_t units;
	bool missing;
	gemp_program program;
	cl_kernel add, take, finish, move;
	gemp_buffer sums; /* double[banks][planes][units], zero before the first addition; empty in online training */
	cl_uint banks;
} gemp_som_accumulate;

/* Local. The samples that will be added have the dimensions of `samples`, and missing values if `samples` may have
 * missing values. max_values: the maximum number of values at a time. online: the caller will call only
 * gemp_som_accumulate_affine. */
gemp_code gemp_som_accumulate_new(gemp_som_accumulate *out, gemp_device *device, const gemp_som_samples *samples,
                                  uint32_t units, uint32_t max_values, bool online);
void gemp_som_accumulate_free(gemp_som_accumulate *accumulate);
/* Adds samples, or one of several blocks of samples. best: [count] keys of gemp_som_search_run. This function and the
 * next three only enqueue; the last two wait for copies if the codebook does not fit on the device. */
gemp_code gemp_som_accumulate_add(gemp_som_accumulate *accumulate, const gemp_som_samples *samples,
                                  const gemp_buffer *best, gemp_som_values values);
/* planes become the sums and counts of the added samples. The sums become 0. */
gemp_code gemp_som_accumulate_read(gemp_som_accumulate *accumulate, gemp_som_values values, const gemp_buffer *planes);
/* Values of units with a count above GEMP_SOM_MIN_WEIGHT become sum / count. The caller updates the values in ascending
 * order. */
gemp_code gemp_som_accumulate_finish(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book);
/* Values of units become factor * value + summand. */
gemp_code gemp_som_accumulate_affine(gemp_som_accumulate *accumulate, const gemp_buffer *planes, gemp_som_values values,
                                     gemp_som_codebook *book);

typedef struct gemp_som_online {
	gemp_device *device; /* borrowed */
	uint32_t block;      /* values of a work-item */
	gemp_program program;
	cl_kernel run;
	uint32_t tile_rows;   /* rows of a work-group's tile of the map */
	size_t group, across; /* work-items of a group; groups that cover the width of the map */
} gemp_som_online;

/* Launch geometry of the kernels (kernels/som/som_online_tiles.clh). A member that is 0 gets the device's default. */
typedef struct gemp_som_online_shape {
	/* sides of a group's tile, at most 16 each, with 32 to 128 units in all; 0 on CPUs, where groups have strips */
	uint32_t tile_rows, tile_columns;
	uint32_t step;  /* samples at a time: a divisor of the tile's number of units, and at least a 32nd of it */
	uint32_t block; /* maximum number of values of a work-item */
} gemp_som_online_shape;

/* Local. samples, max_values: as for gemp_som_accumulate_new. A shape of NULL means {0}. */
gemp_code gemp_som_online_new(gemp_som_online *out, gemp_device *device, const gemp_som_samples *samples,
                              const gemp_som_smooth *smooth, uint32_t max_values, const gemp_som_online_shape *shape);
void gemp_som_online_free(gemp_som_online *online);
/* Enqueues the affine maps of an epoch, by the tables of `smooth`. Samples are left out if their weights in a unit
 * together are below a rounding error. begun: composes the maps with the maps that planes have from earlier samples.
 * rows: the rows of the map that are processed. */
gemp_code gemp_som_online_run(gemp_som_online *online, const gemp_som_samples *samples, const gemp_buffer *best,
                              const gemp_som_smooth *smooth, double rate, gemp_som_values values, bool begun,
                              gemp_som_rows rows, const gemp_buffer *planes);

#endif
