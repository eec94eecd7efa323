/* merge: merges two adjacent sorted runs of an array, stably (src/primitive/merge.h). The runs are keys[first] to
 * keys[first + left - 1], and the `right` keys behind them.
 *
 * The merged keys are divided into parts of equal length. A merge path (Odeh, Green, Mwassi, Shmueli and Birk 2012)
 * gives the begin of a part: of its first p keys, a binary search finds how many are from the left run. In the form in
 * groups, a group copies the keys of its part to local memory, and each work-item merges RADIX_ITEMS of them there. In
 * the form by items, each work-item merges a part of the array alone.
 *
 * Options: those of radix.clh. */
#include "radix.clh"

/* Of the first `place` merged keys, the number that are from the left run. Of equal keys the left one is first. */
#define MERGE_PATH(space, name)                                                                                    \
static inline uint name(space const gemp_key *left, uint lefts, space const gemp_key *right, uint rights,          \
                        uint place, gemp_key flip, gemp_key spread)                                                \
{                                                                                                                  \
	uint low = place > rights ? place - rights : 0, high = min(place, lefts);                                  \
	while (low < high) {                                                                                       \
		uint middle = low + (high - low) / 2;                                                              \
		if (primitive_code(left[middle], flip, spread) <=                                                  \
		    primitive_code(right[place - 1 - middle], flip, spread))                                       \
			low = middle + 1;                                                                          \
		else                                                                                               \
			high = middle;                                                                             \
	}                                                                                                          \
	return low;                                                                                                \
}
MERGE_PATH(__global, merge_path)

#ifdef GEMP_GROUP
MERGE_PATH(__local, merge_path_local)

/* paths[parts + 1]: for the begin of each part, and for the end of the last one, the number of left keys before it. */
PRIMITIVE_KERNEL void merge_paths(__global const gemp_key *restrict keys, uint first, uint left, uint right,
                                  gemp_key flip, gemp_key spread, uint parts, __global uint *paths)
{
	uint part = (uint)get_global_id(0);
	if (part <= parts)
		paths[part] = merge_path(keys + first, left, keys + first + left, right,
		                         part < parts ? part * RADIX_TILE : left + right, flip, spread);
}

/* order[i]: where in local memory the merged element i of the part was. */
PRIMITIVE_KERNEL void merge_parts(__global const gemp_key *restrict keys, __global gemp_key *restrict out,
#if GEMP_VALUE_BITS
                                  __global const radix_value *restrict values, __global radix_value *restrict out_values,
#endif
                                  uint first, uint left, uint right, gemp_key flip, gemp_key spread,
                                  __global const uint *restrict paths)
{
	__local gemp_key stage[RADIX_TILE];
#if GEMP_VALUE_BITS
	__local ushort order[RADIX_TILE];
	ushort from[RADIX_ITEMS];
#endif
	gemp_key mine[RADIX_ITEMS];
	uint lid = (uint)get_local_id(0), part = (uint)get_group_id(0), begin = part * RADIX_TILE;
	uint size = min((uint)RADIX_TILE, left + right - begin);
	uint lefts = paths[part + 1] - paths[part], rights = size - lefts;
	uint from_left = first + paths[part], from_right = first + left + begin - paths[part];
	for (uint i = lid; i < size; i += GEMP_GROUP)
		stage[i] = keys[i < lefts ? from_left + i : from_right + i - lefts];
	primitive_barrier();
	uint place = min(lid * RADIX_ITEMS, size);
	uint a = merge_path_local(stage, lefts, stage + lefts, rights, place, flip, spread), b = lefts + place - a;
	for (uint k = 0; k < RADIX_ITEMS; k++) {
		bool is_left = b >= size || (a < lefts && primitive_code(stage[a], flip, spread) <=
		                                              primitive_code(stage[b], flip, spread));
		uint next = is_left ? a : b;
		mine[k] = stage[min(next, (uint)RADIX_TILE - 1)];
#if GEMP_VALUE_BITS
		from[k] = (ushort)next;
#endif
		a += is_left;
		b += !is_left;
	}
	primitive_barrier();
	for (uint k = 0; k < RADIX_ITEMS && place + k < size; k++) {
		stage[place + k] = mine[k];
#if GEMP_VALUE_BITS
		order[place + k] = from[k];
#endif
	}
	primitive_barrier();
	for (uint i = lid; i < size; i += GEMP_GROUP) {
		out[first + begin + i] = stage[i];
#if GEMP_VALUE_BITS
		out_values[first + begin + i] = values[order[i] < lefts ? from_left + order[i] : from_right + order[i] - lefts];
#endif
	}
}
#else
__kernel void merge_slabs(__global const gemp_key *restrict keys, __global gemp_key *restrict out,
#if GEMP_VALUE_BITS
                          __global const radix_value *restrict values, __global radix_value *restrict out_values,
#endif
                          uint first, uint left, uint right, gemp_key flip, gemp_key spread, uint slab)
{
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, left + right);
	uint a = first + merge_path(keys + first, left, keys + first + left, right, begin, flip, spread);
	uint middle = first + left, last = middle + right, b = middle + begin - (a - first);
	for (uint i = first + begin; i < first + end; i++) {
		bool is_left = b >= last || (a < middle && primitive_code(keys[a], flip, spread) <=
		                                               primitive_code(keys[b], flip, spread));
		uint next = is_left ? a : b;
		out[i] = keys[next];
#if GEMP_VALUE_BITS
		out_values[i] = values[next];
#endif
		a += is_left;
		b += !is_left;
	}
}
#endif
