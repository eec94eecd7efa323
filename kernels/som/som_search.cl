/* som_search: finds the best matching unit of each sample, and the second-best unit (src/som/map/search.h).
 *
 * The host defines SOM_METRIC (0 Euclidean, 1 Manhattan, 2 cosine), SOM_MISSING if values may be missing, SOM_DIMS,
 * SOM_STRIDE (floats of a unit), SOM_TWO if the second-best unit is needed, and one form:
 *   SOM_REGISTERS  with SOM_GROUP, SOM_SAMPLES of a work-item, SOM_UNITS in local memory
 *   SOM_TILES
 *   SOM_ITEMS      with SOM_BLOCKS of 16 samples, SOM_UNITS in the cache
 * w has `units` units, from number first_unit on. A group compares a block of samples with a chunk of units. The groups
 * of one block combine their results in the keys of the samples, by atomic minimum. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#define SOM_NO_KEY (~0ul)
#define SOM_PARAMETERS                                                                          \
	__global const float *restrict x, __global const uchar *restrict present, ulong count,  \
	__global const float *restrict w, uint units, uint first_unit, uint chunk, uint blocks, \
	volatile __global ulong *best, volatile __global ulong *second

#if defined SOM_ITEMS
typedef float8 som_real;
#else
typedef float som_real;
#endif

/* SCORES are sums over the values v of a unit. x is the value of a sample after som_scaled. p is 1 if this value is not
 * missing, and 0 otherwise. `sum` begins with som_first, and `squares` with 0. The products and sums are written out,
 * since compilers fuse them; PoCL does not fuse its own mad. The score of a sample without values stays NaN. */
#if SOM_METRIC == 0 && !defined SOM_MISSING
#define som_scaled(x) (-2 * (x))
#define som_first(norm) (norm)
#define som_add(sum, squares, x, p, v) sum = (x) * (v) + sum
#define som_score(sum, squares, norm) (sum)
#elif SOM_METRIC == 0
#define som_scaled(x) (-2 * (x))
#define som_first(norm) 0
#define som_add(sum, squares, x, p, v) sum = ((p) * (v) + (x)) * (v) + sum
#define som_score(sum, squares, norm) (sum)
#elif SOM_METRIC == 1 && !defined SOM_MISSING
#define som_scaled(x) (x)
#define som_first(norm) 0
#define som_add(sum, squares, x, p, v) sum += fabs((x) - (v))
#define som_score(sum, squares, norm) (sum)
#elif SOM_METRIC == 1
#define som_scaled(x) (x)
#define som_first(norm) 0
#define som_add(sum, squares, x, p, v) sum = (p) * fabs((x) - (v)) + sum
#define som_score(sum, squares, norm) (sum)
#elif !defined SOM_MISSING
#define som_scaled(x) (-(x))
#define som_first(norm) 0
#define som_add(sum, squares, x, p, v) sum = (x) * (v) + sum
#define som_score(sum, squares, norm) ((sum) * (norm))
#else
#define som_scaled(x) (-(x))
#define som_first(norm) 0
#define som_add(sum, squares, x, p, v) (sum = (x) * (v) + sum, squares = (p) * ((v) * (v)) + squares)
#define som_score(sum, squares, norm) ((sum) * select((som_real)0, rsqrt(squares), (squares) > 0))
#endif

/* Computes from a unit's sum of squares the number that som_first and som_score use. */
static inline float som_norm(float squares)
{
#if SOM_METRIC == 2
	return squares > 0 ? rsqrt(squares) : 0;
#else
	return squares;
#endif
}

/* Adding 0 makes the keys of 0 and -0 equal, as equal scores must give equal keys. */
static inline ulong som_key(float score, uint unit)
{
	uint bits = as_uint(score + 0.0f);
	bits ^= bits >> 31 ? ~0u : 1u << 31;
	return score < INFINITY ? (ulong)bits << 32 | unit : SOM_NO_KEY;
}

/* Takes an atomic minimum and returns the old key. */
static inline ulong som_lower(volatile __global ulong *place, ulong key)
{
	ulong there = *place;
#ifdef cl_khr_int64_extended_atomics
	return there > key ? atom_min(place, key) : there;
#else
	while (there > key) {
		ulong before = atom_cmpxchg(place, there, key);
		if (before == there)
			break;
		there = before;
	}
	return there;
#endif
}

/* Merges a pair of keys into best[] and second[]. Every key except the minimum is at some time replaced by a smaller
 * key. It is then merged into second[], which therefore becomes the minimum of all other keys. An outdated read only
 * causes one more atomic minimum. */
static inline void som_meet(volatile __global ulong *best, volatile __global ulong *second, ulong first, ulong next)
{
	ulong there = som_lower(best, first);
#ifdef SOM_TWO
	ulong more = max(there, first);
	som_lower(second, min(more, next));
#endif
}

__kernel void som_begin(__global ulong *best, __global ulong *second, ulong count)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
		best[i] = SOM_NO_KEY;
#ifdef SOM_TWO
		second[i] = SOM_NO_KEY;
#endif
	}
}

/* Computes the distance to the best unit from the values, as |w|^2 - 2 x.w + |x|^2 loses digits by cancellation. */
__kernel void som_distances(__global const float *restrict x, __global const uchar *restrict present, ulong count,
                            __global const float *restrict w, uint units, uint first_unit, __global const ulong *keys,
                            __global float *distance)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
		float sum = 0, of_x = 0, of_w = 0;
		const uint unit = (uint)keys[i] - first_unit;
		__global const float *row = w + (ulong)unit * SOM_STRIDE;
		if (keys[i] == SOM_NO_KEY)
			distance[i] = NAN;
		if (keys[i] == SOM_NO_KEY || unit >= units)
			continue;
		for (uint d = 0; d < SOM_DIMS; d++) {
			float a = x[d * count + i], b = row[d];
#ifdef SOM_MISSING
			b = present[d * count + i] ? b : a;
#endif
#if SOM_METRIC == 0
			sum += (a - b) * (a - b);
#elif SOM_METRIC == 1
			sum += fabs(a - b);
#else
			sum += a * b;
			of_x += a * a;
			of_w += b * b;
#endif
		}
#if SOM_METRIC == 0
		sum = sqrt(sum);
#elif SOM_METRIC == 2
		sum = of_x > 0 && of_w > 0 ? 1 - sum / (sqrt(of_x) * sqrt(of_w)) : 1;
#endif
		distance[i] = sum;
	}
}

#if defined SOM_TWO && !defined SOM_ITEMS
/* On GPUs the search finds only the best unit of each chunk. som_seek finds the second-best unit if it is in the chunk
 * of the best unit, with SOM_SEEKERS work-items for each sample. Rows are read four values at a time, because the rows
 * of adjacent work-items are in the same few banks. */
#define SOM_SEEKERS 32
#ifdef SOM_MISSING
#define som_there(d, i) present[(d) * count + (i)]
#else
#define som_there(d, i) 1
#endif

__kernel void som_seek(SOM_PARAMETERS)
{
	const ulong i = get_global_id(0) / SOM_SEEKERS;
	if (i >= count || best[i] == SOM_NO_KEY)
		return;
	const uint own = (uint)best[i] - first_unit, begin = own / chunk * chunk;
	ulong least = SOM_NO_KEY;
	if (own >= units) /* the unit is not among the units on the device */
		return;
	for (uint u = begin + (uint)get_global_id(0) % SOM_SEEKERS; u < min(begin + chunk, units); u += SOM_SEEKERS) {
		__global const float4 *row = (__global const float4 *)(w + (ulong)u * SOM_STRIDE);
		const float4 end = row[SOM_DIMS / 4];
		const float last[4] = { end.x, end.y, end.z, end.w };
		const float norm = som_norm(last[SOM_DIMS % 4]);
		float sum = som_first(norm), squares = 0;
		uint d = 0;
		while (d < SOM_DIMS / 4 * 4) {
			const float4 four = row[d / 4];
			const float part[4] = { four.x, four.y, four.z, four.w };
			for (uint k = 0; k < 4; k++, d++)
				som_add(sum, squares, som_scaled(x[d * count + i]), som_there(d, i), part[k]);
		}
		for (uint k = 0; k < SOM_DIMS % 4; k++, d++)
			som_add(sum, squares, som_scaled(x[d * count + i]), som_there(d, i), last[k]);
		if (u != own)
			least = min(least, som_key(som_score(sum, squares, norm), first_unit + u));
	}
	som_lower(&second[i], least);
}
#endif

#if defined SOM_REGISTERS
#include "som_search_registers.clh"
#elif defined SOM_TILES
#include "som_search_tiles.clh"
#else
#include "som_search_items.clh"
#endif
