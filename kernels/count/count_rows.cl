/* count_rows: what is made of the rows once: where they split, degrees, low rows. */
#include "count.clh"

/* mid[v]: first entry of row v whose slot is greater than v. */
__kernel void count_split(__global const OFFSET *begin, __global const uint *near, uint vertices, __global OFFSET *mid,
                          __global long *degree)
{
	for (ulong v = get_global_id(0); v < vertices; v += get_global_size(0)) {
		OFFSET first = begin[v], end = begin[v + 1];
		mid[v] = count_lower(near, first, end, (uint)v);
		degree[v] = (long)(end - first);
	}
}

__kernel void count_low(__global const OFFSET *begin, __global const uint *near, uint vertices,
                        __global const OFFSET *low_begin, __global uint *low_near, __global uint *low_source)
{
	ulong workers = get_global_size(0) / COUNT_LANES;
	for (ulong v = get_global_id(0) / COUNT_LANES; v < vertices; v += workers) {
		OFFSET to = low_begin[v], size = low_begin[v + 1] - to, from = begin[v];
		for (OFFSET i = get_global_id(0) % COUNT_LANES; i < size; i += COUNT_LANES) {
			low_near[to + i] = near[from + i];
			low_source[to + i] = (uint)v;
		}
	}
}
