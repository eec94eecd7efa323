/* pivot_costs: estimates the entries that a search from a pivot reads in its first two steps
 * (match/search/pivot_costs.h).
 *
 * Options: COST_WIDE: offsets of 64 bits. SAMPLED: number of neighbours whose rows are measured. */

#ifdef COST_WIDE
typedef ulong cost_offset;
#else
typedef uint cost_offset;
#endif

/* cost[count] becomes the costs of the pivots slots[count]. far_rows: number of rows in the second view. less, greater:
 * the second vertex must have a slot that is less or greater than the pivot's. */
__kernel void pivot_costs(__global const cost_offset *near_begin, __global const uint *neighbours,
                          __global const cost_offset *far_begin, uint far_rows, __global const uint *slots, uint count,
                          uint less, uint greater, __global ulong *cost)
{
	for (uint i = get_global_id(0); i < count; i += get_global_size(0)) {
		const uint slot = slots[i];
		const ulong begin = near_begin[slot], end = near_begin[slot + 1], stride = (end - begin) / SAMPLED + 1;
		ulong sum = 1 + end - begin;
		for (ulong at = begin + stride / 2; at < end; at += stride) {
			const uint next = neighbours[at];
			if (next < far_rows && !(less && next >= slot) && !(greater && next <= slot))
				sum += stride * (1 + far_begin[next + 1] - far_begin[next]);
		}
		cost[i] = sum;
	}
}
