/* apply: samples on a map that is there. */
#ifndef GEMP_SOM_APPLY_H
#define GEMP_SOM_APPLY_H

#include "comm/comm.h"
#include "som/grid.h"
#include "som/search.h"

/* Collective. For each sample its best unit, the distance to that, and its second-best unit; unit UINT32_MAX and distance NAN
 * where a sample has no value. distance and second may be NULL. */
gemp_code gemp_som_apply(const gemp_comm *comm, gemp_device *device, const gemp_som_grid *grid, gemp_som_metric metric,
                         const float *w, const float *x, size_t count, uint32_t dims, uint32_t *unit, float *distance,
                         uint32_t *second);

#endif
