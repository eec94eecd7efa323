/* edge_pairs: turns CSR rows into pairs of source and target. */
#include "topology.clh"

__kernel void edge_pairs(__global const topology_edge *begin, __global const uint *target, uint rows, ulong edges,
                         uint first,
                        __global uint2 *out, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	volatile __local uint *rows_of = topology_room(room);
	for (topology_each_share(share, rows, edges)) {
		topology_share s = topology_take(GEMP_GROUP_PASS begin, rows, edges, share, rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES)
			out[s.first + i] = (uint2)(first + s.row + rows_of[i], target[s.first + i]);
	}
}
