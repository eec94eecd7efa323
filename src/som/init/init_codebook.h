/* init_codebook: makes the first codebook from random numbers, from samples, or as a plane through the first two
 * principal components. The module also computes statistics of the columns. All functions that take a communicator are
 * collective. Sums are reproducible (som/init/pca.h), so the results do not depend on the number of ranks.
 *
 * x: [count][dims], this rank's samples. The samples of all ranks are numbered in the order of ranks. A missing value
 * is NAN; the column's mean replaces it if a number is needed. w: [units][dims], the same on all ranks. */

#ifndef GEMP_SOM_INIT_INIT_CODEBOOK_H
#define GEMP_SOM_INIT_INIT_CODEBOOK_H

#include "comm/comm.h"
#include "som/map/units.h"

/* Statistics of all ranks' samples. */
typedef struct gemp_som_column_stats {
	uint32_t dims;
	double *min, *max, *mean; /* [dims]; 0 for a column without values */
	double *present;          /* [dims] the number of samples that have a value */
} gemp_som_column_stats;

/* Collective. x: [count][dims], this rank's samples; a value that is not finite is missing. The caller frees *out, also
 * after a failure. */
gemp_code gemp_som_column_stats_new(gemp_som_column_stats *out, const gemp_comm *comm, const float *x, size_t count,
                                    uint32_t dims);
void gemp_som_column_stats_free(gemp_som_column_stats *columns);
/* Collective. deviation[dims] becomes the standard deviations; 0 for a column without values. */
gemp_code gemp_som_column_stats_deviation(const gemp_som_column_stats *columns, const gemp_comm *comm, const float *x,
                                          size_t count, double *deviation);

/* Draws random values, uniform between the smallest and the largest value of each column. */
gemp_code gemp_som_init_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                               uint32_t dims, uint64_t seed, float *w);
/* Draws a sample for each unit. */
gemp_code gemp_som_init_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                                uint32_t dims, uint64_t seed, float *w);
/* Lays a plane through the mean, along the first two principal components. The first component lies along the grid's
 * longer side. The borders are two standard deviations from the mean. */
gemp_code gemp_som_init_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                            uint32_t dims, float *w);

#endif
