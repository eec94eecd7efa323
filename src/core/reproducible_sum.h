/* reproducible_sum: sums of doubles that depend neither on the order of the addends nor on how threads and ranks share
 * them. This is summation by pre-rounding with two levels (Demmel and Nguyen 2013).
 *
 *   gemp_repro_sum by = gemp_repro_sum_of(max, count);
 *   gemp_repro_sum_add(by, value, &high, &low) for each value; all highs and all lows are added; the sum is high + low
 *
 * Each value is split into two multiples of fixed powers of two. The powers are so large that sums of such multiples
 * are exact, hence associative. The remainder that is lost is less than count^2 * 2^-100 of the largest value.
 */

#ifndef GEMP_CORE_REPRODUCIBLE_SUM_H
#define GEMP_CORE_REPRODUCIBLE_SUM_H

#include <math.h>

typedef struct gemp_repro_sum {
	double high, low; /* adding and subtracting one rounds a value to a multiple of its power of two */
} gemp_repro_sum;

/* All values lie in [-max, max], and all ranks together add at most `count` < 2^45 of them. */
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

#endif
