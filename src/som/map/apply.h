/* apply: the best units of samples on a map that exists, their second-best units, and distances to the best.
 */

#ifndef GEMP_SOM_MAP_APPLY_H
#define GEMP_SOM_MAP_APPLY_H

#include "comm/comm.h"
#include "som/map/grid.h"
#include "som/map/samples.h"
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

#endif
