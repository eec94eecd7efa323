/* count_table: a vertex table. Its value at vertex 0 is the sum of an expression over the neighbours 1 of vertex 0.
 * src/count/codegen.c defines:
 *
 *   COUNT_KERNEL     the name of the kernel in which a work-item sums a row
 *   COUNT_GROUPS     the name of the kernel in which a work-group sums a row
 *   COUNT_TABLES     the parameters for vertex tables, each followed by a comma
 *   COUNT_SYMBOLS    declares the symbols of the expression, computed from slot_0, slot_1 and entry
 *   COUNT_VALUE      the expression
 *   COUNT_MAGNITUDE  the expression over magnitudes, as a double; not defined if every sum fits into a long
 *
 * Both kernels compute table[first .. end). */
#include "count.clh"

#ifdef COUNT_MAGNITUDE
#define COUNT_CHECKED magnitude += COUNT_MAGNITUDE;
#else
#define COUNT_CHECKED
#endif

/* Sums over the entries `from`, `from` + step, ... of row v. */
#define COUNT_ROW(from, step)                                                        \
	uint slot_0 = (uint)v;                                                           \
	long sum = 0;                                                                    \
	double magnitude = 0;                                                            \
	OFFSET row_end = row_offsets[v + 1];                                             \
	for (OFFSET entry = row_offsets[v] + (from); entry < row_end; entry += (step)) { \
		uint slot_1 = column_indices[entry];                                         \
		COUNT_SYMBOLS                                                                \
		COUNT_CHECKED                                                                \
		sum += COUNT_VALUE;                                                          \
	}

__kernel void COUNT_KERNEL(COUNT_TABLES __global const OFFSET *row_offsets, __global const uint *column_indices,
                           __global const uint *support, __global const uint *ordered_support, uint first, uint end,
                           __global long *table, __global uint *control)
{
	for (ulong v = first + get_global_id(0); v < end; v += get_global_size(0)) {
		COUNT_ROW(0, 1)
		count_check(magnitude, control);
		table[v] = sum;
	}
}

#ifdef GEMP_GPU

/* scratch has a long for each work-item; the size of the group is a power of two. */
__kernel void COUNT_GROUPS(COUNT_TABLES __global const OFFSET *row_offsets, __global const uint *column_indices,
                           __global const uint *support, __global const uint *ordered_support, uint first, uint end,
                           __global long *table, __global uint *control, __local long *scratch)
{
	uint self = (uint)get_local_id(0), size = (uint)get_local_size(0);
	for (ulong v = first + get_group_id(0); v < end; v += get_num_groups(0)) {
		COUNT_ROW(self, size)
		count_check(size * magnitude, control);
		barrier(CLK_LOCAL_MEM_FENCE);
		scratch[self] = sum;
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint apart = size / 2; apart > 0; apart /= 2) {
			if (self < apart)
				scratch[self] += scratch[self + apart];
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		if (self == 0)
			table[v] = scratch[0];
	}
}

#endif

#undef COUNT_ROW
#undef COUNT_CHECKED
