/* fold: sums of doubles that depend neither on the order of addends nor on how threads and ranks share them.
 *
 *   gemp_repro_sum by = gemp_repro_sum_of(most, count) -> gemp_repro_sum_add(by, value, &high, &low) for each -> highs are added, lows are added,
 *   and in the end a high and its low
 *
 * A value is split into two parts, whole multiples of two powers of two so large that sums of each are exact. What is left of
 * it, and lost, is less than count^2 * 2^-100 of the largest.
 */

#ifndef GEMP_CORE_REPRODUCIBLE_SUM_H
#define GEMP_CORE_REPRODUCIBLE_SUM_H

#include <math.h>

typedef struct gemp_repro_sum {
	double high, low; /* added and taken away again, they round to the multiples */
} gemp_repro_sum;

/* No value is above `most` or below -most, and there are not more than `count`, below 2^45, in all. */
static inline gemp_repro_sum gemp_repro_sum_of(double most, double count)
{
	int high, low;
	frexp(most * count, &high); /* sums are below 2^high, and so are multiples of 2^(high - 51) */
	frexp(count, &low);
	return (gemp_repro_sum){ ldexp(1.5, high + 1), ldexp(1.5, high - 51 + low + 1) };
}

static inline void gemp_repro_sum_add(gemp_repro_sum by, double value, double *high, double *low)
{
	const double part = (value + by.high) - by.high;
	*high += part;
	*low += ((value - part) + by.low) - by.low;
}

#endif
