/* key_range: minimum, maximum and differing bits of the codes of keys (src/primitive/key.h), for each slab. A bit
 * differs if some code of the slab has another value in it than the first code of the array. */
#include "primitive.clh"

typedef struct extent {
	gemp_key least, most, differing;
} extent;

static inline void extent_add(extent *e, gemp_key key, gemp_key any, gemp_key flip, gemp_key spread)
{
	gemp_key code = primitive_code(key, flip, spread);
	e->least = min(e->least, code);
	e->most = max(e->most, code);
	e->differing |= code ^ any;
}

#ifdef GEMP_GROUP
PRIMITIVE_KERNEL void extent_slabs(__global const gemp_key *restrict keys, uint count, uint slab, gemp_key flip,
                                   gemp_key spread, __global gemp_key *restrict out)
{
	__local gemp_key least[GEMP_GROUP], most[GEMP_GROUP], differing[GEMP_GROUP];
	uint lid = (uint)get_local_id(0), begin = (uint)get_group_id(0) * slab;
	uint length = primitive_end(begin, slab, count) - begin;
	gemp_key any = primitive_code(keys[0], flip, spread);
	extent e = { ~(gemp_key)0, 0, 0 };
	for (uint i = lid; i < length / 4; i += GEMP_GROUP) {
		gemp_key4 four = primitive_fours(keys + begin)[i];
		extent_add(&e, four.x, any, flip, spread);
		extent_add(&e, four.y, any, flip, spread);
		extent_add(&e, four.z, any, flip, spread);
		extent_add(&e, four.w, any, flip, spread);
	}
	for (uint i = length / 4 * 4 + lid; i < length; i += GEMP_GROUP)
		extent_add(&e, keys[begin + i], any, flip, spread);
	least[lid] = e.least;
	most[lid] = e.most;
	differing[lid] = e.differing;
	primitive_barrier();
	for (uint apart = GEMP_GROUP / 2; apart; apart /= 2) {
		if (lid < apart) {
			least[lid] = min(least[lid], least[lid + apart]);
			most[lid] = max(most[lid], most[lid + apart]);
			differing[lid] |= differing[lid + apart];
		}
		primitive_barrier();
	}
	if (lid == 0) {
		out[3 * get_group_id(0)] = least[0];
		out[3 * get_group_id(0) + 1] = most[0];
		out[3 * get_group_id(0) + 2] = differing[0];
	}
}
#else
__kernel void extent_slabs(__global const gemp_key *restrict keys, uint count, uint slab, gemp_key flip, gemp_key spread,
                           __global gemp_key *restrict out)
{
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count);
	gemp_key any = primitive_code(keys[0], flip, spread);
	extent e = { ~(gemp_key)0, 0, 0 };
	for (uint i = begin; i < end; i++)
		extent_add(&e, keys[i], any, flip, spread);
	out[3 * get_global_id(0)] = e.least;
	out[3 * get_global_id(0) + 1] = e.most;
	out[3 * get_global_id(0) + 2] = e.differing;
}
#endif
