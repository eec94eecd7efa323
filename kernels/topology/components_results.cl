/* components_results: the results of contraction (src/topology/components_ranks.c). */
#define each(i, count) uint i = get_global_id(0); i < count; i += get_global_size(0)

/* names[row] becomes the name of the component: the name of the set's root. */
__kernel void components_finish(__global const uint *sets, __global const uint *name, uint rows, __global uint *names)
{
	for (each(row, rows))
		names[row] = name[sets[row]];
}

/* Flags the own roots that were hooked along an edge of the forest. */
__kernel void hooking_edges_flags(__global const ulong *hooked_by, uint rows, __global uint *flags)
{
	for (each(row, rows))
		flags[row] = hooked_by[row] != ULONG_MAX;
}

__kernel void hooking_edges_keep(__global const ulong *hooked_by, uint rows, __global const uint *places,
                                 __global ulong *edges)
{
	for (each(row, rows))
		if (places[row + 1] != places[row])
			edges[places[row]] = hooked_by[row];
}
