/* pca: the covariance of all ranks' samples and their first two principal components. Results are the same for any
 * number of ranks and threads and any order of the samples: sums are either exact or split reproducibly
 * (core/reproducible_sum.h).
 */

#ifndef GEMP_SOM_INIT_PCA_H
#define GEMP_SOM_INIT_PCA_H

#include "comm/comm.h"

/* The maximum number of columns for which the covariance matrix is made. */
enum { GEMP_SOM_COVARIANCE_DIMS = 1024 };

/* Collective. x: [count][dims], this rank's samples; a value that is not finite is replaced by the mean. mean:
 * [dims], of all ranks' samples. matrix: [dims][dims]. The result is the same on all ranks, for any number of them
 * and any order of the samples: distances from the mean are rounded to 2^-24 of the power of two above the
 * column's largest one, and sums of their products are exact. */
gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix);

/* Collective. x and mean: as above. axes: [2][dims], the directions of the first two components, of length 1,
 * times the standard deviation along them; the largest part of each is positive. An axis is 0 if there is no
 * second component, or no deviation. The result is the same on all ranks, and for all numbers of them. */
gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                             double *axes);

#endif
