/* key_count: for each of some codes, the number of keys of a sorted array with codes up to it (src/primitive/cuts.h).
 * Each work-item searches for one code. */
#include "primitive.clh"

#ifndef GEMP_GROUP
#define PRIMITIVE_KERNEL __kernel
#endif

PRIMITIVE_KERNEL void key_count(__global const gemp_key *restrict keys, uint count, gemp_key flip, gemp_key spread,
                                __global const gemp_key *restrict codes, uint probes, __global uint *restrict out)
{
	uint i = (uint)get_global_id(0), low = 0, high = count;
	if (i >= probes)
		return;
	while (low < high) {
		uint middle = low + (high - low) / 2;
		if (primitive_code(keys[middle], flip, spread) <= codes[i])
			low = middle + 1;
		else
			high = middle;
	}
	out[i] = low;
}
