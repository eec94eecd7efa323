/* owners: counts and lists vertices by the ranks that own them (src/topology/owner_router.h). */
#include "owners.clh"

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

/* Adds to counts[ranks], 64-bit numbers as pairs of a low and a high word, since not all devices have 64-bit atomics. A
 * work-group counts in local memory, here[ranks], first. */
__kernel void owners_count(__global const uint *vertices, ulong from, ulong to, __global const ulong *bounds,
                           uint ranks, volatile __global uint *counts, volatile __local uint *here)
{
	for (uint r = get_local_id(0); r < ranks; r += get_local_size(0))
		here[r] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (ulong i = from + get_global_id(0); i < to; i += get_global_size(0))
		atomic_inc(&here[owners_find(bounds, ranks, vertices[i])]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = get_local_id(0); r < ranks; r += get_local_size(0)) {
		uint more = here[r], before = more ? atomic_add(&counts[2 * r], more) : 0;
		if (before + more < before)
			atomic_inc(&counts[2 * r + 1]);
	}
}

/* Appends `count` vertices and their owners to the lists, from place `at` on. */
__kernel void owners_list(__global const uint *vertices, uint count, uint at, __global const ulong *bounds, uint ranks,
                          __global uint *owners, __global uint *listed)
{
	for (each(uint, i, count)) {
		uint vertex = vertices[i];
		owners[at + i] = owners_find(bounds, ranks, vertex);
		listed[at + i] = vertex;
	}
}

/* begins[r] becomes the number of owners before r in the sorted list, for r from 0 to ranks. */
__kernel void owners_begins(__global const uint *owners, uint count, uint ranks, __global uint *begins)
{
	for (each(uint, r, ranks + 1)) {
		uint low = 0, high = count;
		while (low < high) {
			uint middle = low + (high - low) / 2;
			if (owners[middle] < r)
				low = middle + 1;
			else
				high = middle;
		}
		begins[r] = low;
	}
}
