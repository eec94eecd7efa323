/* degrees: counts edges at their targets, in counters of 32 bits for a range of vertices, and adds up the counters of
 * all ranks (src/topology/target_counts.h). */

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

/* counters[rows] belong to the vertices from `first` on. Other vertices are ignored. */
__kernel void degrees_count(__global const uint *target, uint count, uint first, uint rows,
                            volatile __global uint *counters)
{
	for (each(uint, e, count)) {
		uint row = target[e] - first;
		if (row < rows)
			atomic_inc(&counters[row]);
	}
}

/* sums[rows] become the sums of `parts` arrays of counters, which lie one behind the other. */
__kernel void degrees_add(__global const uint *counters, uint rows, uint parts, __global ulong *sums)
{
	for (each(uint, row, rows)) {
		ulong sum = 0;
		for (uint part = 0; part < parts; part++)
			sum += counters[(ulong)part * rows + row];
		sums[row] = sum;
	}
}
