/* apply: the best units of samples on a map that exists, their second-best units, distances to the best, and how well the map fits
 * the samples.
 */

#ifndef GEMP_SOM_MAP_APPLY_H
#define GEMP_SOM_MAP_APPLY_H

#include "comm/comm.h"
#include "device/program.h"
#include "som/map/grid.h"
#include "som/map/search.h"

/* Where a rank's samples are: [samples] each. */
typedef struct gemp_som_places {
	uint32_t *unit, *second; /* the best units; UINT32_MAX where a sample has no value */
	float *distance;         /* to the best; NAN there */
} gemp_som_places;

/* Of samples and a codebook that are on the device. second and distance may be NULL; with second, parts have second keys. */
gemp_code gemp_som_places_find(const gemp_som_places *places, gemp_som_blocks *blocks, gemp_som_search *search,
                               gemp_som_codebook *book);

/* Collective. The same of samples and a codebook of the host. */
gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second);

/* QUALITY: the quantisation error (the mean distance to the best unit) and the topographic error
 * (the share of samples whose two best units are not adjacent; Kiviluoto 1996).
 *
 * During training a kernel adds both up on the device, so that an epoch need not wait for it: group_sums[slots][groups], one
 * slot for each epoch until the host reads it. gemp_som_errors sums on the host, in double.
 */

enum { GEMP_SOM_SLOTS = 64 };

/* Sums over samples that have a unit. */
typedef struct gemp_som_fit {
	double distances;   /* to the best unit */
	double topographic; /* samples whose two best units are not adjacent */
	double samples;
} gemp_som_fit;

typedef struct gemp_som_quality {
	gemp_device *device; /* borrowed */
	gemp_som_grid grid;
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer distance, sums; /* of samples; of slots and groups */
	size_t group, groups;
} gemp_som_quality;

/* count: samples of a run, at most. */
gemp_code gemp_som_quality_new(gemp_som_quality *out, gemp_device *device, const gemp_som_grid *grid, size_t count);
/* Bytes of sums on the device. */
size_t gemp_som_quality_bytes(const gemp_device *device, size_t count);
void gemp_som_quality_free(gemp_som_quality *quality);
/* By the keys that `search` has found. more: the slot has sums of other samples already. Enqueued, not awaited. */
gemp_code gemp_som_quality_run(gemp_som_quality *quality, gemp_som_search *search, const gemp_som_samples *samples,
                               gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second,
                               uint32_t slot, bool more);
/* Of a slot whose last launch has ended; waits for nothing else. */
gemp_code gemp_som_quality_read(gemp_som_quality *quality, uint32_t slot, gemp_som_fit *fit);

/* Mean distance to the best unit, and share of samples whose two best units are not adjacent, of all ranks' samples that have
 * one; NAN where there are none. unit, second: [count]; UINT32_MAX: none. Collective. */
void gemp_som_errors(const gemp_comm *comm, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                     const float *x, size_t count, uint32_t dims, const uint32_t *unit, const uint32_t *second,
                     double *quantisation, double *topographic);

/* out: [units], the mean Euclidean distance of a unit to its neighbours on the grid; 0 for the only one. */
void gemp_som_umatrix(const gemp_som_grid *grid, const float *w, uint32_t dims, double *out);

/* hits: [units], samples of all ranks by their best unit. Collective. */
void gemp_som_hits(const gemp_comm *comm, const gemp_som_grid *grid, const uint32_t *unit, size_t count,
                   uint64_t *hits);

#endif
