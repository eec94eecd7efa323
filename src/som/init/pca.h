/* pca: the covariance of all ranks' samples and their first two principal components. Results are the same for any number of
 * ranks and threads and any order of the samples: sums are either exact or split reproducibly (core/reproducible_sum.h).
 */

#ifndef GEMP_SOM_INIT_PCA_H
#define GEMP_SOM_INIT_PCA_H

#include "comm/comm.h"

/* Columns of which the matrix is not too large. */
enum { GEMP_SOM_COVARIANCE_DIMS = 1024 };

/* Collective. x: [count][dims], this rank's samples; what is no finite number is taken for the mean. mean: [dims], of all ranks'
 * samples. matrix: [dims][dims]. The same on all ranks, for any number of them and any order of the samples: distances from the
 * mean are rounded to 2^-24 of the power of two above the column's greatest one, and sums of these numbers' products are exact. */
gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix);

/* Collective. x: [count][dims], this rank's samples; what is no finite number is taken for the mean. mean: [dims], of all ranks'
 * samples. axes: [2][dims], directions of length 1 times the deviation along them, whose greatest part is above 0; 0 where there
 * is no second one, or no deviation. The same on all ranks, and for all numbers of them. */
gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                             double *axes);

#endif
