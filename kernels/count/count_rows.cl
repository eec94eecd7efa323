/* count_rows: computes, once for all plans, the position where each row splits into lower and upper neighbours, the
 * degrees, and the low rows. */
#include "count.clh"

/* upper_offsets[v] becomes the first entry of row v whose slot is greater than v, degree[v] the length of the row. */
__kernel void count_split(__global const OFFSET *row_offsets, __global const uint *column_indices, uint vertices,
                          __global OFFSET *upper_offsets, __global long *degree)
{
	for (ulong v = get_global_id(0); v < vertices; v += get_global_size(0)) {
		OFFSET first = row_offsets[v], end = row_offsets[v + 1];
		upper_offsets[v] = count_lower(column_indices, first, end, (uint)v);
		degree[v] = (long)(end - first);
	}
}

__kernel void count_low(__global const OFFSET *row_offsets, __global const uint *column_indices, uint vertices,
                        __global const OFFSET *low_offsets, __global uint *low_indices, __global uint *low_source)
{
	ulong workers = get_global_size(0) / COUNT_LANES;
	for (ulong v = get_global_id(0) / COUNT_LANES; v < vertices; v += workers) {
		OFFSET to = low_offsets[v], size = low_offsets[v + 1] - to, from = row_offsets[v];
		for (OFFSET i = get_global_id(0) % COUNT_LANES; i < size; i += COUNT_LANES) {
			low_indices[to + i] = column_indices[from + i];
			low_source[to + i] = (uint)v;
		}
	}
}
