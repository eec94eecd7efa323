/* som_accumulate: sums of samples by best unit, and units out of them (som/accumulate.h).
 *
 *   SOM_DIMS      values of a sample
 *   SOM_STRIDE    floats of a unit: its values, |w|^2, padding
 *   SOM_MISSING   planes have a count for each value, else one for all
 *   SOM_MASK      these samples have missing values
 *
 * Planes are [.][units]: a sum for each value, then counts.
 */
#include "group.clh"

#ifdef SOM_MISSING
#define SOM_COUNTS SOM_DIMS
#else
#define SOM_COUNTS 1
#endif
#define SOM_PLANES (SOM_DIMS + SOM_COUNTS)

/* What sample i adds to plane k. x, present: [SOM_DIMS][count]. */
static inline float som_share(__global const float *x, __global const uchar *present, uint count, uint k, uint i)
{
	if (k < SOM_DIMS)
		return x[(size_t)k * count + i];
#ifdef SOM_MASK
	return present[(size_t)(k - SOM_DIMS) * count + i];
#else
	return 1;
#endif
}

/* A work-item for each sample and plane. */
__kernel void som_add(__global float *planes, __global const ulong *best, __global const float *x,
                      __global const uchar *present, uint count, uint units)
{
	const size_t id = get_global_id(0);
	const uint i = (uint)(id % count), k = (uint)(id / count);
	if (k >= SOM_PLANES)
		return;
	const uint unit = (uint)best[i];
	if (unit < units)
		gemp_add_float_global(&planes[(size_t)k * units + unit], som_share(x, present, count, k, i));
}

/* A work-item for each plane, samples in order. */
__kernel void som_add_planes(__global float *planes, __global const ulong *best, __global const float *x,
                             __global const uchar *present, uint count, uint units)
{
	const uint k = (uint)get_global_id(0);
	if (k >= SOM_PLANES)
		return;
	for (uint i = 0; i < count; i++) {
		const uint unit = (uint)best[i];
		if (unit < units)
			planes[(size_t)k * units + unit] += som_share(x, present, count, k, i);
	}
}

/* Units that samples have reached become their means. */
__kernel void som_finish(__global const float *planes, __global float *w, uint units, float least)
{
	const uint unit = (uint)get_global_id(0);
	float square = 0;
	if (unit >= units)
		return;
	for (uint k = 0; k < SOM_DIMS; k++) {
		const float count = planes[(size_t)(SOM_DIMS + k % SOM_COUNTS) * units + unit];
		const size_t at = (size_t)unit * SOM_STRIDE + k;
		const float value = count > least ? planes[(size_t)k * units + unit] / count : w[at];
		w[at] = value;
		square += value * value;
	}
	w[(size_t)unit * SOM_STRIDE + SOM_DIMS] = square;
}

/* Units are moved: planes have what is added to each value, then what it is multiplied by before. */
__kernel void som_move(__global const float *planes, __global float *w, uint units)
{
	const uint unit = (uint)get_global_id(0);
	float square = 0;
	if (unit >= units)
		return;
	for (uint k = 0; k < SOM_DIMS; k++) {
		const float by = planes[(size_t)(SOM_DIMS + k % SOM_COUNTS) * units + unit];
		const size_t at = (size_t)unit * SOM_STRIDE + k;
		const float value = fma(by, w[at], planes[(size_t)k * units + unit]);
		w[at] = value;
		square += value * value;
	}
	w[(size_t)unit * SOM_STRIDE + SOM_DIMS] = square;
}
