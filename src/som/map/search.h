/* search: finds the best matching unit of each sample, which is the unit at the smallest distance. If several units
 * have this distance, it is the unit with the smallest number.
 *
 * Distances of samples and units are never stored. Units are compared by scores. For one sample scores have the same
 * order as distances. A score is |w|^2 - 2 x.w (Euclidean), the sum of |x - w| (Manhattan), or -x.w / |w| (cosine),
 * each over the values that the sample has. A sample has no unit if it has no value, or if its distance from all units
 * is infinite. The values of units must be finite.
 *
 * A key is a uint64_t. Its high half is a score, mapped to 32 bits that sort like scores, and its low half is a unit's
 * number. The smallest key of a sample is therefore the key of its best matching unit. */

#ifndef GEMP_SOM_MAP_SEARCH_H
#define GEMP_SOM_MAP_SEARCH_H

#include "gemp/types.h"
#include "som/map/samples.h"
#include "som/map/units.h"

/* The form of the search kernel. AUTO chooses by the device and the number of dimensions. */
typedef enum gemp_som_form {
	GEMP_SOM_FORM_AUTO,
	GEMP_SOM_FORM_REGISTERS, /* a work-item has some samples in registers; units come from local memory */
	GEMP_SOM_FORM_TILES,     /* tiles of samples and units lie in local memory; a work-item has 8 x 8 pairs */
	GEMP_SOM_FORM_ITEMS,     /* a work-item processes vectors of samples; for CPUs */
} gemp_som_form;

typedef struct gemp_som_search_shape {
	gemp_som_form form;
	uint32_t group; /* work-items of a group; for REGISTERS only: TILES always has 256, ITEMS 1 */
	/* samples of a work-item; for REGISTERS only: TILES always has 8, ITEMS as many as fit on its stack */
	uint32_t samples;
	uint32_t units; /* units at a time: in local memory (REGISTERS; TILES always has 128) or in the cache (ITEMS) */
	uint32_t chunk; /* units that a group compares with its samples; more if fewer groups fill the device */
} gemp_som_search_shape;

enum { GEMP_SOM_MAX_DIMS = 1 << 14 };
#define GEMP_SOM_NO_KEY UINT64_MAX

static inline uint32_t gemp_som_key_unit(uint64_t key)
{
	return (uint32_t)key;
}

typedef struct gemp_som_search gemp_som_search;

/* Local. missing: gemp_som_samples.missing of the samples that will be searched. shape: a member that is 0 gets its
 * default. If shape is NULL, all members get their defaults. Returns GEMP_EUSAGE for no dimensions and for more than
 * GEMP_SOM_MAX_DIMS. */
gemp_code gemp_som_search_new(gemp_som_search **out, gemp_device *device, uint32_t dims, gemp_som_metric metric,
                              bool missing, const gemp_som_search_shape *shape);
void gemp_som_search_free(gemp_som_search *search);
/* Local. Builds the kernels now that a search with or without second-best units needs. Otherwise the first search
 * builds them. */
gemp_code gemp_som_search_build(gemp_som_search *search, bool with_second);

/* Local. best: uint64_t[count], the keys of the best units. A sample without a unit gets GEMP_SOM_NO_KEY, whose unit is
 * GEMP_SOM_NO_UNIT. second: uint64_t[count], the keys of the second-best units; NULL if they are not wanted. Kernels
 * are only enqueued if the device has memory for all units. Otherwise the function waits before it loads the next
 * units. */
gemp_code gemp_som_search_run(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                              const gemp_buffer *best, const gemp_buffer *second);
/* Local. distance: float[count], the distance of each sample from the unit of its key; NaN for a sample without a unit.
 * Distances are computed from the values, as scores lose digits by cancellation. A vector of zeros has the cosine
 * distance 1 to every unit. The function waits like gemp_som_search_run. */
gemp_code gemp_som_search_distances(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                                    const gemp_buffer *keys, const gemp_buffer *distance);

#endif
