/* quality: how well a map fits its samples. Sums are in double. */
#ifndef GEMP_SOM_QUALITY_H
#define GEMP_SOM_QUALITY_H

#include "comm/comm.h"
#include "som/grid.h"
#include "som/search.h"

/* Over the values of x [dims] that are there; NAN where there are none. Cosine: 1 less the cosine. */
double gemp_som_apart(gemp_som_metric metric, const float *x, const float *w, uint32_t dims);

/* Mean distance to the best unit, and share of samples whose two best units are not adjacent, of all ranks' samples that have
 * one; NAN where there are none. unit, second: [count]; UINT32_MAX: none. Collective. */
void gemp_som_errors(const gemp_comm *comm, const gemp_som_grid *grid, gemp_som_metric metric, const float *w, const float *x,
                     size_t count, uint32_t dims, const uint32_t *unit, const uint32_t *second, double *quantisation,
                     double *topographic);

/* out: [units], the mean Euclidean distance of a unit to its neighbours on the grid; 0 for the only one. */
void gemp_som_umatrix(const gemp_som_grid *grid, const float *w, uint32_t dims, double *out);

/* hits: [units], samples of all ranks by their best unit. Collective. */
void gemp_som_hits(const gemp_comm *comm, const gemp_som_grid *grid, const uint32_t *unit, size_t count, uint64_t *hits);

#endif
