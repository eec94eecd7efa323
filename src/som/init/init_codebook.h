/* init_codebook: the first codebook: random, samples, or a plane through the first two principal components; and
 * statistics of the columns. All functions that take a communicator are collective, and their results do not depend
 * on the number of ranks: sums are reproducible (som/init/pca.h).
 *
 * x: [count][dims], this rank's samples; all samples are numbered in the order of ranks. A missing value is NAN, and
 * is replaced by the column's mean where a number is needed. w: [units][dims], the same on all ranks.
 */

#ifndef GEMP_SOM_INIT_INIT_CODEBOOK_H
#define GEMP_SOM_INIT_INIT_CODEBOOK_H

#include "comm/comm.h"
#include "som/map/units.h"

/* Statistics of all ranks' samples. */
typedef struct gemp_som_column_stats {
	uint32_t dims;
	double *min, *max, *mean; /* [dims]; 0 of a column without values */
	double *present;          /* [dims] the number of samples that have a value */
} gemp_som_column_stats;

/* Collective. x: [count][dims], this rank's samples; a value that is not finite is missing. Free it also after a
 * failure. */
gemp_code gemp_som_column_stats_new(gemp_som_column_stats *out, const gemp_comm *comm, const float *x, size_t count,
                                    uint32_t dims);
void gemp_som_column_stats_free(gemp_som_column_stats *columns);
/* Collective. deviation[dims]: the standard deviations; 0 of a column without values. */
gemp_code gemp_som_column_stats_deviation(const gemp_som_column_stats *columns, const gemp_comm *comm, const float *x,
                                          size_t count, double *deviation);

/* Random values, uniform from the smallest to the largest value of each column. */
gemp_code gemp_som_init_random(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                               uint32_t dims, uint64_t seed, float *w);
/* A sample for each unit. */
gemp_code gemp_som_init_samples(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                                uint32_t dims, uint64_t seed, float *w);
/* A plane through the mean, along the first two principal components. The first one lies along the grid's longer
 * side, and the borders are two standard deviations from the mean. */
gemp_code gemp_som_init_pca(const gemp_comm *comm, const gemp_som_grid *grid, const float *x, size_t count,
                            uint32_t dims, float *w);

#endif
