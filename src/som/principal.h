/* principal: the first two principal components of all ranks' samples. */
#ifndef GEMP_SOM_PRINCIPAL_H
#define GEMP_SOM_PRINCIPAL_H

#include "comm/comm.h"

/* Collective. x: [count][dims], this rank's samples; what is no finite number is taken for the mean. mean: [dims], of all ranks'
 * samples. axes: [2][dims], directions of length 1 times the deviation along them, whose greatest part is above 0; 0 where there
 * is no second one, or no deviation. The same on all ranks, and for all numbers of them. */
gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean, double *axes);

#endif
