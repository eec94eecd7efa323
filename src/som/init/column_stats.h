/* column_stats: minimum, maximum, mean and deviation of each column of all ranks' samples. Sums are split reproducibly
 * (core/reproducible_sum.h), so that they are the same for any number of ranks.
 */

#ifndef GEMP_SOM_INIT_COLUMN_STATS_H
#define GEMP_SOM_INIT_COLUMN_STATS_H

#include "comm/comm.h"

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

#endif
