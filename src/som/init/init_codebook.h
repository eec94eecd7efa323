/* init_codebook: codebooks to begin with: random, samples, or a plane through the first two principal components. Collective; the
 * same for all numbers of ranks.
 *
 * x: [count][dims], this rank's samples, those of lower ranks before it; NAN: missing, taken for the column's mean where a
 * number is needed. w: [units][dims], the same on all ranks.
 */

#ifndef GEMP_SOM_INIT_INIT_CODEBOOK_H
#define GEMP_SOM_INIT_INIT_CODEBOOK_H

#include "comm/comm.h"
#include "som/map/grid.h"

/* Uniform from the least to the greatest value of each column. */
gemp_code gemp_som_init_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                               uint32_t dims, uint64_t seed, float *w);
/* A sample for each unit. */
gemp_code gemp_som_init_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                                uint32_t dims, uint64_t seed, float *w);
/* A plane through the mean, along the first two principal components: the first along the grid's longer side, up to twice the
 * deviation to both sides. */
gemp_code gemp_som_init_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                            uint32_t dims, float *w);

#endif
