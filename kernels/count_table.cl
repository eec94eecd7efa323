/* count_table: a vertex table: for each vertex 0 the sum over its neighbours 1. Emitted around it (src/count/source.c):
 *
 *   COUNT_KERNEL     its name
 *   COUNT_TABLES     tables as parameters, each with a comma behind it
 *   COUNT_SYMBOLS    declarations of the symbols that the expression mentions, from slot_0, slot_1 and entry
 *   COUNT_VALUE      the expression
 *   COUNT_MAGNITUDE  the same of absolute values, in double; not defined: it cannot pass what a long holds
 *
 * by_group: a group has a row, else a work-item. Rows [first, end). The group's size is a power of two, of at most 256.
 */
#include "count.clh"

__kernel void COUNT_KERNEL(COUNT_TABLES __global const OFFSET *begin, __global const uint *near,
                           __global const uint *support, uint first, uint end, uint by_group, __global long *table,
                           __global uint *control, __local long *scratch)
{
	uint self = (uint)get_local_id(0), size = (uint)get_local_size(0);
	ulong step = by_group ? get_num_groups(0) : get_global_size(0);
	for (ulong v = first + (by_group ? get_group_id(0) : get_global_id(0)); v < end; v += step) {
		uint slot_0 = (uint)v;
		long sum = 0;
		OFFSET row_end = begin[v + 1], entry = begin[v] + (by_group ? self : 0);
#ifdef COUNT_MAGNITUDE
		double magnitude = 0;
#endif
		for (; entry < row_end; entry += by_group ? size : 1) {
			uint slot_1 = near[entry];
			COUNT_SYMBOLS
			sum += COUNT_VALUE;
#ifdef COUNT_MAGNITUDE
			magnitude += COUNT_MAGNITUDE;
#endif
		}
#ifdef COUNT_MAGNITUDE
		count_check(by_group ? 256 * magnitude : magnitude, control);
#endif
#ifdef GEMP_GPU
		if (by_group) {
			barrier(CLK_LOCAL_MEM_FENCE);
			scratch[self] = sum;
			barrier(CLK_LOCAL_MEM_FENCE);
			for (uint other = size / 2; other > 0; other /= 2) {
				if (self < other)
					scratch[self] += scratch[self + other];
				barrier(CLK_LOCAL_MEM_FENCE);
			}
			sum = scratch[0];
		}
#endif
		if (!by_group || self == 0)
			table[v] = sum;
	}
}
