/* reverse: turns rows by source into rows by target. reverse_list runs before a stable sort of the edges by target
 * (src/topology), and the other kernels run after the sort. */
#include "topology.clh"

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

/* An edge is sorted by its target, the key. Its value is the source, or source << 32 | number of the edge. */
#ifdef REVERSE_NUMBERED
typedef ulong reverse_value;
#define reverse_pack(source, edge) ((ulong)(source) << 32 | (edge))
#else
typedef uint reverse_value;
#define reverse_pack(source, edge) (source)
#endif

__kernel void reverse_list(__global const topology_edge *begin, uint rows, ulong edges, uint first,
                           __global reverse_value *values, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	volatile __local uint *rows_of = topology_room(room);
	for (topology_each_share(share, rows, edges)) {
		topology_share s = topology_take(GEMP_GROUP_PASS begin, rows, edges, share, rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES)
			values[s.first + i] = reverse_pack(first + s.row + rows_of[i], s.first + i);
	}
}

/* reverse_clear and reverse_mark set begin[rows], and begin[row] of each row that is not empty. */
__kernel void reverse_clear(__global uint *begin, uint rows, uint edges)
{
	for (each(uint, row, rows + 1))
		begin[row] = row == rows ? edges : UINT_MAX;
}

__kernel void reverse_mark(__global const uint *keys, uint edges, uint first, __global uint *begin)
{
	for (each(uint, e, edges))
		if (e == 0 || keys[e] != keys[e - 1])
			begin[keys[e] - first] = e;
}

/* Finds begin[row] of each empty row by binary search. */
__kernel void reverse_empty(__global const uint *keys, uint edges, uint first, uint rows,
                            __global uint *begin)
{
	for (each(uint, row, rows)) {
		if (begin[row] != UINT_MAX)
			continue;
		uint low = 0, high = edges;
		while (low < high) {
			uint middle = low + (high - low) / 2;
			if (keys[middle] < first + row)
				low = middle + 1;
			else
				high = middle;
		}
		begin[row] = low;
	}
}
