/* covariance: of the columns of all ranks' samples. */
#ifndef GEMP_SOM_COVARIANCE_H
#define GEMP_SOM_COVARIANCE_H

#include "comm/comm.h"

/* Columns of which the matrix is not too large. */
enum { GEMP_SOM_COVARIANCE_DIMS = 1024 };

/* Collective. x: [count][dims], this rank's samples; what is no finite number is taken for the mean. mean: [dims], of all ranks'
 * samples. matrix: [dims][dims]. The same on all ranks, for any number of them and any order of the samples: distances from the
 * mean are rounded to 2^-24 of the power of two above the column's greatest one, and sums of these numbers' products are exact. */
gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix);

#endif
