/* apply: finds the best and second-best units of samples on a given codebook, and the distances to the best units. The
 * module also measures how well the map fits the samples. A function without a communicator is local. */

#ifndef GEMP_SOM_MAP_APPLY_H
#define GEMP_SOM_MAP_APPLY_H

#include "comm/comm.h"
#include "device/program.h"
#include "som/map/search.h"
#include "som/map/units.h"

/* The results of a search, by sample. Each array has as many elements as this rank has samples. */
typedef struct gemp_som_places {
	uint32_t *unit, *second; /* best and second-best unit; GEMP_SOM_NO_UNIT if there is none */
	float *distance;         /* distance to the best unit; NAN for a sample without a unit */
} gemp_som_places;

/* Local. Finds the units of samples for a codebook on the device and fills `places`. places->second and
 * places->distance may be NULL. If second is not NULL, the blocks must have been made with_second. */
gemp_code gemp_som_places_find(const gemp_som_places *places, gemp_som_blocks *blocks, gemp_som_search *search,
                               gemp_som_codebook *book);

/* Collective. Does the same for samples x[count][dims] and a codebook w[units][dims] on the host. unit, distance,
 * second: [count] each. distance and second may be NULL. *seconds becomes the time of this rank's search, with the
 * copies of samples and results, but without the time to build kernels and to copy the codebook; NULL: not wanted. */
gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second, double *seconds);

/* QUALITY: the quantisation error is the mean distance to the best unit. The topographic error is the fraction of
 * samples whose two best units are not adjacent (Kiviluoto 1996).
 *
 * During training a kernel adds up both errors on the device, and the host reads the sums later, which saves a wait in
 * each epoch. The device has group_sums[GEMP_SOM_SLOTS][groups]. An epoch's slot must be read before a later epoch uses
 * the slot. gemp_som_errors sums on the host, in double. */

enum { GEMP_SOM_SLOTS = 64 };

/* Sums over samples that have a unit. */
typedef struct gemp_som_fit {
	double distances;   /* sum of the distances to the best unit */
	double topographic; /* number of samples whose two best units are not adjacent */
	double samples;
} gemp_som_fit;

typedef struct gemp_som_quality {
	gemp_device *device; /* borrowed */
	gemp_som_grid grid;
	gemp_program program;
	cl_kernel kernel;
	gemp_buffer distance, sums; /* float[count]; group_sums[slots][groups] */
	size_t group, groups;
} gemp_som_quality;

/* count: the maximum number of samples of a gemp_som_quality_run. */
gemp_code gemp_som_quality_new(gemp_som_quality *out, gemp_device *device, const gemp_som_grid *grid, size_t count);
/* Returns the bytes of the sums of all slots on the device. */
size_t gemp_som_quality_bytes(const gemp_device *device, size_t count);
void gemp_som_quality_free(gemp_som_quality *quality);
/* Enqueues a kernel that sums the errors of samples into a slot. best and second are the keys that `search` has found
 * for the samples. more: adds to the sums of earlier blocks in the slot; otherwise replaces the sums. */
gemp_code gemp_som_quality_run(gemp_som_quality *quality, gemp_som_search *search, const gemp_som_samples *samples,
                               gemp_som_codebook *book, const gemp_buffer *best, const gemp_buffer *second,
                               uint32_t slot, bool more);
/* Reads a slot. The last launch for the slot must have ended, as the function waits only for its own copy. */
gemp_code gemp_som_quality_read(gemp_som_quality *quality, uint32_t slot, gemp_som_fit *fit);

/* Collective. Computes both errors over all ranks' samples that have a unit; NAN if no sample has a unit. unit, second:
 * [count]; GEMP_SOM_NO_UNIT if a sample has no unit. */
void gemp_som_errors(const gemp_comm *comm, const gemp_som_grid *grid, gemp_som_metric metric, const float *w,
                     const float *x, size_t count, uint32_t dims, const uint32_t *unit, const uint32_t *second,
                     double *quantisation, double *topographic);

/* out[units] becomes the mean Euclidean distance between a unit's vector and the vectors of its neighbours on the grid;
 * 0 for a unit without neighbours. */
void gemp_som_umatrix(const gemp_som_grid *grid, const float *w, uint32_t dims, double *out);

/* Collective. hits[units] becomes the number of samples, over all ranks, whose best unit is the unit. */
void gemp_som_hits(const gemp_comm *comm, const gemp_som_grid *grid, const uint32_t *unit, size_t count,
                   uint64_t *hits);

#endif
