/* columns: what the values of all ranks' samples are, each column by itself. The same for any number of ranks. */
#ifndef GEMP_SOM_COLUMNS_H
#define GEMP_SOM_COLUMNS_H

#include "comm/comm.h"

typedef struct gemp_som_columns {
	uint32_t dims;
	double *least, *greatest, *mean; /* [dims]; 0 where there is no value */
	double *there;                   /* [dims]: samples that have a value */
} gemp_som_columns;

/* Collective. x: [count][dims], this rank's samples; what is no finite number is missing. To be freed in any case. */
gemp_code gemp_som_columns_new(gemp_som_columns *out, const gemp_comm *comm, const float *x, size_t count, uint32_t dims);
void gemp_som_columns_free(gemp_som_columns *columns);
/* Collective. deviation[dims]: from the means; 0 where there is no value. */
gemp_code gemp_som_columns_deviation(const gemp_som_columns *columns, const gemp_comm *comm, const float *x, size_t count,
                                     double *deviation);

#endif
