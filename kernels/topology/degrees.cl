/* degrees: counts edges at their targets. */
#include "topology.clh"

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

__kernel void degrees_in(__global const uint *target, ulong edges, uint first, volatile __global uint *in)
{
	for (each(ulong, e, edges))
		atomic_inc(&in[target[e] - first]);
}
