/* pca: the covariance of all ranks' samples and their first two principal components. Results do not depend on the
 * number of ranks and threads, nor on the order of the samples, because sums are exact or reproducible.
 *
 * A reproducible sum of doubles depends neither on the order of the addends nor on how threads and ranks divide them.
 * The method is summation by pre-rounding with two levels (Demmel and Nguyen 2013):
 *
 *   const gemp_repro_sum by = gemp_repro_sum_of(max, count);
 *   gemp_repro_sum_add(by, value, &high, &low);    for each value, on any thread of any rank
 *
 * The sum is the sum of all `high` plus the sum of all `low`. These two sums may be added up in any order.
 *
 * Each value is split into multiples of two fixed powers of two. The powers are so large that sums of such multiples
 * are exact, and hence associative. The remainder that is lost is less than count^2 * 2^-100 of the largest value. */

#ifndef GEMP_SOM_INIT_PCA_H
#define GEMP_SOM_INIT_PCA_H

#include "comm/comm.h"

#include <math.h>

typedef struct gemp_repro_sum {
	/* (value + high) - high rounds `value` to a multiple of one power of two. `low` does the same for a smaller
	 * power. */
	double high, low;
} gemp_repro_sum;

/* All values lie in [-max, max]. All ranks together add at most `count` < 2^45 values. */
static inline gemp_repro_sum gemp_repro_sum_of(double max, double count)
{
	int high, low;
	frexp(max * count, &high); /* sums stay below 2^high, so multiples of 2^(high - 51) add exactly */
	frexp(count, &low);
	return (gemp_repro_sum){ ldexp(1.5, high + 1), ldexp(1.5, high - 51 + low + 1) };
}

static inline void gemp_repro_sum_add(gemp_repro_sum by, double value, double *high, double *low)
{
	const double rounded = (value + by.high) - by.high;
	*high += rounded;
	*low += ((value - rounded) + by.low) - by.low;
}

/* The maximum number of columns for which the covariance matrix is made. */
enum { GEMP_SOM_COVARIANCE_DIMS = 1024 };

/* Collective. x: [count][dims], this rank's samples; the mean replaces a value that is not finite. mean: [dims], over
 * all ranks' samples. matrix: [dims][dims]. The result is the same on all ranks. It depends neither on the number of
 * ranks nor on the order of the samples: distances from the mean are rounded to 2^-24 of the power of two above the
 * column's largest distance, and sums of their products are exact. */
gemp_code gemp_som_covariance(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                              double *matrix);

/* Collective. x and mean: as above. axes[2][dims] becomes the directions of the first two components. The length of an
 * axis is the standard deviation along it, and its component with the largest magnitude is positive. An axis is 0 if
 * there is no second component, or no deviation. The result is the same on all ranks and for all numbers of ranks. */
gemp_code gemp_som_principal(const gemp_comm *comm, const float *x, size_t count, uint32_t dims, const double *mean,
                             double *axes);

#endif
