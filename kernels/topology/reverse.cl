/* reverse: turns rows by source into rows by target. reverse_list runs before a stable sort of the edges by target
 * (src/topology), and reverse_clear, reverse_mark and reverse_empty run after the sort. With several ranks,
 * reverse_route lists the edges of a round for the owners of their targets, and reverse_place takes the edges that a
 * rank sent. */
#include "topology.clh"
#include "owners.clh"

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

/* Lists the edges among the items place .. end - 1 of the rows (topology.clh), of which `edge` is the first: each edge
 * as source and target, beside the owner of the target. */
__kernel void reverse_route(__global const topology_edge *begin, __global const uint *target, uint rows, uint first,
                            ulong place, ulong end, ulong edge, __global const ulong *bounds, uint ranks,
                            __global uint *owners, __global uint2 *edges, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	volatile __local uint *rows_of = topology_room(room);
	ulong step = (ulong)gemp_workers() * TOPOLOGY_SHARE;
	for (ulong at = place + (ulong)gemp_worker() * TOPOLOGY_SHARE; at < end; at += step) {
		topology_share s = topology_take_items(GEMP_GROUP_PASS begin, rows, at, min(at + TOPOLOGY_SHARE, end), rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES) {
			uint to = target[s.first + i];
			owners[s.first + i - edge] = owners_find(bounds, ranks, to);
			edges[s.first + i - edge] = (uint2)(first + s.row + rows_of[i], to);
		}
	}
}

/* Puts edges from[at] .. from[at + count - 1] into the arrays that are sorted, from place `to` on. */
__kernel void reverse_place(__global const uint2 *from, uint at, uint count, uint to, __global uint *keys,
                            __global reverse_value *values)
{
	for (each(uint, i, count)) {
		uint2 edge = from[at + i];
		keys[to + i] = edge.y;
		values[to + i] = reverse_pack(edge.x, to + i);
	}
}

#ifdef REVERSE_NUMBERED
/* Separates the sorted values into sources and the places of the edges: place[number of the edge]. */
__kernel void reverse_split(__global const ulong *values, uint edges, __global uint *sources, __global uint *places)
{
	for (each(uint, e, edges)) {
		sources[e] = (uint)(values[e] >> 32);
		places[(uint)values[e]] = e;
	}
}
#endif

/* Lists the owners of the targets of all edges, and the edges beside them. */
__kernel void reverse_owners(__global const uint *target, uint edges, __global const ulong *bounds, uint ranks,
                             __global uint *owners, __global uint *order)
{
	for (each(uint, e, edges)) {
		owners[e] = owners_find(bounds, ranks, target[e]);
		order[e] = e;
	}
}

/* Edge order[i] has moved to place places[i] of the edges of rank owners[i], whose first edge has number first[]. */
__kernel void reverse_number(__global const uint *order, __global const uint *owners, __global const uint *places,
                             uint edges, __global const ulong *first, __global ulong *numbers)
{
	for (each(uint, i, edges))
		numbers[order[i]] = first[owners[i]] + places[i];
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
