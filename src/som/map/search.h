/* search: the best matching unit of each sample: that at the least distance, and of several the one with the least number.
 *
 * Distances of samples and units are never stored. They are compared by scores, which for one sample are in the order of the
 * distances: |w|^2 - 2 x.w (Euclidean), the sum of |x - w| (Manhattan), -x.w / |w| (cosine); all of them over the values that
 * the sample has. A sample without any value has no unit, nor has one that is infinitely far from all. Units' values are finite.
 *
 * A key is a score, as 32 bits in the same order, above a unit's number: the least key is the best matching unit's.
 */

#ifndef GEMP_SOM_MAP_SEARCH_H
#define GEMP_SOM_MAP_SEARCH_H

#include "gemp/types.h"
#include "som/map/codebook.h"
#include "som/map/samples.h"

/* How kernels go over samples and units; 0: as suits the device and the number of dimensions. */
typedef enum gemp_som_form {
	GEMP_SOM_FORM_AUTO,
	GEMP_SOM_FORM_REGISTERS, /* a work-item has some samples in registers; units come from local memory */
	GEMP_SOM_FORM_TILES,     /* tiles of samples and units in local memory, 8 x 8 pairs a work-item */
	GEMP_SOM_FORM_ITEMS,     /* vectors of samples, for CPUs */
} gemp_som_form;

typedef struct gemp_som_search_shape {
	gemp_som_form form;
	uint32_t group;   /* work-items; registers only, tiles have 256, items 1 */
	uint32_t samples; /* of a work-item; registers only, tiles have 8 */
	uint32_t units;   /* registers: in local memory at a time; items: in the cache at a time */
	uint32_t chunk;   /* units that a group goes through */
} gemp_som_search_shape;

enum { GEMP_SOM_MAX_DIMS = 1 << 14 };
#define GEMP_SOM_NO_KEY UINT64_MAX

static inline uint32_t gemp_som_key_unit(uint64_t key)
{
	return (uint32_t)key;
}

typedef struct gemp_som_search gemp_som_search;

/* missing: that of the samples which it will search. shape: NULL, or what of it is not 0. More dimensions than
 * GEMP_SOM_MAX_DIMS, or none, are GEMP_EUSAGE. */
gemp_code gemp_som_search_new(gemp_som_search **out, gemp_device *device, uint32_t dims, gemp_som_metric metric,
                              bool missing, const gemp_som_search_shape *shape);
void gemp_som_search_free(gemp_som_search *search);

/* best: uint64_t[count] keys; GEMP_SOM_NO_KEY, whose unit is GEMP_SOM_NO_UNIT, for samples without a unit. second: the same
 * of the second-best units, NULL if not asked for. Does not wait, unless the device has not room for all units. */
gemp_code gemp_som_search_run(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                              const gemp_buffer *best, const gemp_buffer *second);
/* distance: float[count], of the samples to the units of the keys, from the values themselves; NaN without a unit. A vector
 * of zeros is at cosine distance 1 from all. Waits as the search does. */
gemp_code gemp_som_search_distances(gemp_som_search *search, const gemp_som_samples *samples, gemp_som_codebook *book,
                                    const gemp_buffer *keys, const gemp_buffer *distance);

#endif
