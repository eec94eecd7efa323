/* init_codebook: codebooks to begin with: random, samples, or a plane through the first two principal components; and statistics of
 * the columns. All functions that take a communicator are collective, and give the same for all numbers of ranks: sums are split
 * reproducibly (core/reproducible_sum.h).
 *
 * x: [count][dims], this rank's samples, those of lower ranks before it; NAN: missing, taken for the column's mean where a
 * number is needed. w: [units][dims], the same on all ranks.
 */

#ifndef GEMP_SOM_INIT_INIT_CODEBOOK_H
#define GEMP_SOM_INIT_INIT_CODEBOOK_H

#include "comm/comm.h"
#include "som/map/grid.h"

/* Of all ranks' samples. */
typedef struct gemp_som_column_stats {
	uint32_t dims;
	double *min, *max, *mean; /* [dims]; 0 where there is no value */
	double *present;          /* [dims]: samples that have a value */
} gemp_som_column_stats;

/* Collective. x: [count][dims], this rank's samples; what is no finite number is missing. To be freed in any case. */
gemp_code gemp_som_column_stats_new(gemp_som_column_stats *out, const gemp_comm *comm, const float *x, size_t count,
                                    uint32_t dims);
void gemp_som_column_stats_free(gemp_som_column_stats *columns);
/* Collective. deviation[dims]: from the means; 0 where there is no value. */
gemp_code gemp_som_column_stats_deviation(const gemp_som_column_stats *columns, const gemp_comm *comm, const float *x,
                                          size_t count, double *deviation);

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
