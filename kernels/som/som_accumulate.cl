/* som_accumulate: sums samples by their best unit, and computes new units from the sums (som/train/unit_update.h).
 *
 *   SOM_MISSING   samples may have missing values: each value has a plane of counts; otherwise all values share one plane
 *   SOM_MOVE      compile som_move only; otherwise compile the other kernels
 *   SOM_RUN       sums that a work-item rounds; more than 1 on a CPU device
 *
 * Planes are [planes][units]: a plane of sums for each of `values` values from `first` on, then planes of counts. Sums
 * are in double if the device has doubles, so the number and the order of samples hardly change them. GPUs have several
 * banks of planes, [banks][planes][units], so fewer atomic additions meet at one address. */
#include "group.clh"

#if defined GEMP_NVIDIA || (defined cl_khr_fp64 && defined cl_khr_int64_base_atomics)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double som_sum;
#define som_add_to gemp_add_double_global
#else
typedef float som_sum;
#define som_add_to gemp_add_float_global
#endif

#ifdef SOM_MISSING
#define som_counts(values) (values)
#define som_count_of(k) (values + (k))
#else
#define som_counts(values) 1
#define som_count_of(k) values
#endif

#ifndef SOM_MOVE
/* The contribution of sample i to plane k. x, present: [values][count]. */
static inline float som_share(__global const float *x, __global const uchar *present, uint count, uint first, uint values, uint k,
                              uint i)
{
	if (k < values)
		return x[(size_t)(first + k) * count + i];
#ifdef SOM_MISSING
	return present[(size_t)(first + k - values) * count + i];
#else
	return 1;
#endif
}

#if SOM_RUN == 1
/* Each sample and plane has one work-item. Adjacent work-items add to different banks. */
__kernel void som_add(__global som_sum *sums, __global const ulong *best, __global const float *x,
                      __global const uchar *present, uint count, uint units, uint first, uint values, uint banks)
{
	const size_t id = get_global_id(0);
	const uint i = (uint)(id % count), k = (uint)(id / count);
	const uint planes = values + som_counts(values);
	if (k >= planes)
		return;
	const uint unit = (uint)best[i];
	if (unit < units)
		som_add_to(&sums[((size_t)(i % banks) * planes + k) * units + unit],
		           som_share(x, present, count, first, values, k, i));
}

#else
/* Each plane has one work-item, which adds samples in order. */
__kernel void som_add_planes(__global som_sum *sums, __global const ulong *best, __global const float *x,
                             __global const uchar *present, uint count, uint units, uint first, uint values, uint banks)
{
	const uint k = (uint)get_global_id(0); /* banks is 1 */
	if (k >= values + som_counts(values))
		return;
	for (uint i = 0; i < count; i++) {
		const uint unit = (uint)best[i];
		if (unit < units)
			sums[(size_t)k * units + unit] += som_share(x, present, count, first, values, k, i);
	}
}

#endif

/* Adds all banks, rounds the sums to floats, and zeroes the banks. */
__kernel void som_take(__global som_sum *sums, __global float *planes, ulong count, uint banks)
{
	const size_t from = get_global_id(0) * (size_t)SOM_RUN, end = min(from + SOM_RUN, (size_t)count);
	for (size_t i = from; i < end; i++) {
		som_sum sum = sums[i];
		for (uint c = 1; c < banks; c++)
			sum += sums[c * count + i];
		for (uint c = 1; c < banks; c++)
			sums[c * count + i] = 0;
		sums[i] = 0;
		planes[i] = (float)sum;
	}
}

/* Sets the `here` units at w, whose numbers begin at `from`, to the weighted means of the samples near them. A value
 * whose count is not above `least` stays. */
__kernel void som_finish(__global const float *planes, __global float *w, uint units, uint from, uint here, uint first,
                         uint values, uint dims, uint stride, float least)
{
	const uint at = (uint)get_global_id(0);
	if (at >= here)
		return;
	__global float *row = w + (size_t)at * stride;
	__global const float *plane = planes + from + at;
	float square = first ? row[dims] : 0;
	for (uint k = 0; k < values; k++) {
		const float count = plane[(size_t)som_count_of(k) * units];
		const float value = count > least ? plane[(size_t)k * units] / count : row[first + k];
		row[first + k] = value;
		square += value * value;
	}
	row[dims] = square;
}

#else
/* Moves the `here` units at w, whose numbers begin at `from`, by w = a * w + b. The planes have the summands `b`,
 * followed by the factors `a`. */
__kernel void som_move(__global const float *planes, __global float *w, uint units, uint from, uint here, uint first,
                       uint values, uint dims, uint stride)
{
	const uint at = (uint)get_global_id(0);
	if (at >= here)
		return;
	__global float *row = w + (size_t)at * stride;
	__global const float *plane = planes + from + at;
	float square = first ? row[dims] : 0;
	for (uint k = 0; k < values; k++) {
		const float by = plane[(size_t)som_count_of(k) * units];
		const float value = fma(by, row[first + k], plane[(size_t)k * units]);
		row[first + k] = value;
		square += value * value;
	}
	row[dims] = square;
}
#endif
