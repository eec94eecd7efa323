/* scan: exclusive prefix sums of an array (src/primitive/radix_pass.h), by reduce, scan, scan. A work-group, or a
 * work-item in the form for CPUs, sums a slab of `slab` numbers. The sums of the slabs are scanned, and then the slabs.
 * Few numbers are one slab.
 *
 * Options: SCAN_NUMBER and SCAN_SUM: uint or ulong. */
#include "primitive.clh"

typedef SCAN_NUMBER scan_number;
typedef SCAN_SUM scan_sum;

#ifdef GEMP_GROUP

/* A work-item reads four numbers at a time, as a vector if all four exist, since slabs begin at multiples of four. */
#define SCAN_VECTOR 4
#define SCAN_PASTE(type, width) type##width
#define SCAN_VECTOR_OF(type) SCAN_PASTE(type, 4)
typedef SCAN_VECTOR_OF(SCAN_NUMBER) scan_numbers;
typedef SCAN_VECTOR_OF(SCAN_SUM) scan_sums4;
#define SCAN_TILE (GEMP_GROUP * SCAN_VECTOR)

PRIMITIVE_KERNEL void scan_slab_sums(__global const scan_number *numbers, uint count, uint slab, __global ulong *sums)
{
	GEMP_GROUP_DECLARE
	__local ulong warps[PRIMITIVE_WARPS];
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count);
	ulong sum = 0, all;
	for (uint i = (uint)get_local_id(0); i < end - begin; i += GEMP_GROUP)
		sum += numbers[begin + i];
	primitive_sums64(GEMP_GROUP_PASS sum, warps, &all);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = all;
}

/* Scans the sums of slabs. Launched with one group. The total goes to sums_of_all[count]. */
PRIMITIVE_KERNEL void scan_sums(__global ulong *sums, uint slabs, __global scan_sum *sums_of_all, uint count)
{
	GEMP_GROUP_DECLARE
	__local ulong warps[PRIMITIVE_WARPS];
	ulong before = 0, all;
	for (uint first = 0; first < slabs; first += GEMP_GROUP) {
		uint i = first + (uint)get_local_id(0);
		ulong sum = i < slabs ? sums[i] : 0;
		sum = before + primitive_sums64(GEMP_GROUP_PASS sum, warps, &all);
		if (i < slabs)
			sums[i] = sum;
		before += all;
	}
	if (get_local_id(0) == 0)
		sums_of_all[count] = (scan_sum)before;
}

/* Scans numbers begin .. end - 1, starting with the sum `before`. Returns the sum including them. */
static inline ulong scan_run(GEMP_GROUP_PARAMETER __global const scan_number *numbers, uint begin, uint end, ulong before,
                             __local ulong *warps, __global scan_sum *out)
{
	for (uint tile = begin; tile < end; tile = primitive_end(tile, SCAN_TILE, end)) {
		ulong all;
		uint offset = (uint)get_local_id(0) * SCAN_VECTOR, i = tile + offset;
		uint mine = end - tile <= offset ? 0 : min(end - tile - offset, (uint)SCAN_VECTOR);
		scan_numbers four = 0;
		if (mine == SCAN_VECTOR) {
			four = *(__global const scan_numbers *)(numbers + i);
		} else {
			four.x = mine > 0 ? numbers[i] : 0;
			four.y = mine > 1 ? numbers[i + 1] : 0;
			four.z = mine > 2 ? numbers[i + 2] : 0;
		}
		ulong sum = (ulong)four.x + four.y + four.z + four.w;
		sum = before + primitive_sums64(GEMP_GROUP_PASS sum, warps, &all);
		scan_sums4 there = (scan_sums4)((scan_sum)sum, (scan_sum)(sum + four.x), (scan_sum)(sum + four.x + four.y),
		                                (scan_sum)(sum + four.x + four.y + four.z));
		if (mine == SCAN_VECTOR) {
			*(__global scan_sums4 *)(out + i) = there;
		} else {
			if (mine > 0)
				out[i] = there.x;
			if (mine > 1)
				out[i + 1] = there.y;
			if (mine > 2)
				out[i + 2] = there.z;
		}
		before += all;
	}
	return before;
}

PRIMITIVE_KERNEL void scan_slabs(__global const scan_number *numbers, uint count, uint slab, __global const ulong *sums,
                                 __global scan_sum *out)
{
	GEMP_GROUP_DECLARE
	__local ulong warps[PRIMITIVE_WARPS];
	uint begin = (uint)get_group_id(0) * slab;
	scan_run(GEMP_GROUP_PASS numbers, begin, primitive_end(begin, slab, count), sums[get_group_id(0)], warps, out);
}

/* Scans few numbers. Launched with one group. */
PRIMITIVE_KERNEL void scan_few(__global const scan_number *numbers, uint count, __global scan_sum *out)
{
	GEMP_GROUP_DECLARE
	__local ulong warps[PRIMITIVE_WARPS];
	ulong all = scan_run(GEMP_GROUP_PASS numbers, 0, count, 0, warps, out);
	if (get_local_id(0) == 0)
		out[count] = (scan_sum)all;
}

#else

__kernel void scan_slab_sums(__global const scan_number *numbers, uint count, uint slab, __global ulong *sums)
{
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count);
	ulong sum = 0;
	for (uint i = begin; i < end; i++)
		sum += numbers[i];
	sums[get_global_id(0)] = sum;
}

/* Scans the sums of slabs, like the kernel above. Launched with one work-item. */
__kernel void scan_sums(__global ulong *sums, uint slabs, __global scan_sum *sums_of_all, uint count)
{
	ulong before = 0;
	for (uint i = 0; i < slabs; i++) {
		ulong sum = sums[i];
		sums[i] = before;
		before += sum;
	}
	sums_of_all[count] = (scan_sum)before;
}

static inline ulong scan_run(__global const scan_number *numbers, uint begin, uint end, ulong before, __global scan_sum *out)
{
	for (uint i = begin; i < end; i++) {
		scan_number number = numbers[i];
		out[i] = (scan_sum)before;
		before += number;
	}
	return before;
}

__kernel void scan_slabs(__global const scan_number *numbers, uint count, uint slab, __global const ulong *sums,
                         __global scan_sum *out)
{
	uint begin = (uint)get_global_id(0) * slab;
	scan_run(numbers, begin, primitive_end(begin, slab, count), sums[get_global_id(0)], out);
}

/* Scans few numbers. Launched with one work-item. */
__kernel void scan_few(__global const scan_number *numbers, uint count, __global scan_sum *out)
{
	out[count] = (scan_sum)scan_run(numbers, 0, count, 0, out);
}

#endif
