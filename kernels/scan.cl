/* scan: exclusive prefix sum of u32, in place. Two launches over the same chunks: scan_sums, then scan_apply. */
#include "scan.clh"

/* Elements that a work-item takes side by side. */
#ifndef ITEMS
#define ITEMS 4
#endif

__kernel void scan_sums(__global const uint *values, ulong count, ulong chunk, __global uint *sums,
                        __local uint *scratch)
{
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
	uint sum = 0;
	for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0))
		sum += values[i];
	sum = group_sum(scratch, sum);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}

/* The last group leaves the sum of all in *total. */
__kernel void scan_apply(__global uint *values, ulong count, ulong chunk, __global const uint *sums,
                         __global uint *total, __local uint *scratch)
{
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, count);
	uint sum = groups_before(scratch, sums);
	for (ulong tile = begin; tile < end; tile += get_local_size(0) * ITEMS) {
		ulong first = tile + get_local_id(0) * ITEMS;
		uint item[ITEMS], own = 0, all;
		for (uint i = 0; i < ITEMS; i++) {
			item[i] = first + i < end ? values[first + i] : 0;
			own += item[i];
		}
		uint before = sum + group_scan(scratch, own, &all);
		for (uint i = 0; i < ITEMS; i++) {
			if (first + i < end)
				values[first + i] = before;
			before += item[i];
		}
		sum += all;
	}
	if (get_group_id(0) == get_num_groups(0) - 1 && get_local_id(0) == 0)
		*total = sum;
}
