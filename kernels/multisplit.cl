/* multisplit: an array in the order of buckets (src/primitive/split.h), in no particular order inside them. The array comes in
 * segments, each of which is split for itself: segment s is begin[s] .. begin[s + 1], and its tiles are
 * tiles[s] .. tiles[s + 1] - 1; its bucket b is bucket s << SPLIT_BITS | b of all.
 *
 * Options: SPLIT_BITS; GEMP_VALUE_BITS: 0, 32 or 64; SPLIT_ITEMS, keys of a work-item at a time; SPLIT_WINDOW, keys that go
 * through local memory at a time, a multiple of GEMP_GROUP; SPLIT_TILES that a group counts one after another. */
#include "primitive.clh"

#define SPLIT_BINS (1u << SPLIT_BITS)
#define SPLIT_TILE (GEMP_GROUP * SPLIT_ITEMS)
#define SPLIT_SHARE (SPLIT_WINDOW / GEMP_GROUP) /* of a work-item in a window */
#define split_bin(key) ((uint)((primitive_code(key, flip, spread) - least) >> shift) & (SPLIT_BINS - 1))

#if GEMP_VALUE_BITS == 64
typedef ulong split_value;
#else
typedef uint split_value;
#endif

/* One segment of all. */
__kernel void split_whole(__global uint *begin, __global uint *tiles, uint count)
{
	begin[0] = tiles[0] = 0;
	begin[1] = count;
	tiles[1] = count / SPLIT_TILE + (count % SPLIT_TILE != 0);
}

/* By one group. */
PRIMITIVE_KERNEL void split_tiles(__global const uint *begin, __global uint *tiles, uint segments)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	uint before = 0, all;
	for (uint first = 0; first < segments; first += GEMP_GROUP) {
		uint s = first + (uint)get_local_id(0), length = s < segments ? begin[s + 1] - begin[s] : 0;
		uint sum = length / SPLIT_TILE + (length % SPLIT_TILE != 0);
		sum = before + primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
		if (s < segments)
			tiles[s] = sum;
		before += all;
	}
	if (get_local_id(0) == 0)
		tiles[segments] = before;
}

/* The last segment whose tiles begin at or before this one; others without any come before it. */
static inline uint split_segment(__global const uint *tiles, uint segments, uint tile)
{
	uint low = 0, high = segments;
	while (high - low > 1) {
		uint middle = (low + high) / 2;
		if (tiles[middle] <= tile)
			low = middle;
		else
			high = middle;
	}
	return low;
}

PRIMITIVE_KERNEL void split_count(__global const gemp_key *restrict keys, __global const uint *restrict begin,
                                  __global const uint *restrict tiles, uint segments, gemp_key flip, gemp_key spread,
                                  gemp_key least, uint shift, volatile __global uint *counts)
{
	__local uint here[SPLIT_BINS];
	uint lid = (uint)get_local_id(0), all = tiles[segments], first = (uint)get_group_id(0) * SPLIT_TILES;
	uint last = min(first + SPLIT_TILES, all), segment = split_segment(tiles, segments, first);
	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
		here[b] = 0;
	primitive_barrier();
	for (uint tile = first; tile < last;) {
		uint until = min(last, tiles[segment + 1]); /* of this segment */
		uint from = begin[segment] + (tile - tiles[segment]) * SPLIT_TILE;
		uint length = min(begin[segment + 1] - from, (until - tile) * SPLIT_TILE);
		uint ahead = min(length, (0 - from) & 3); /* until vectors are where they belong */
		for (uint i = lid; i < ahead; i += GEMP_GROUP)
			atomic_inc(&here[split_bin(keys[from + i])]);
		uint fours = (length - ahead) / 4;
		__global const gemp_key4 *vectors = (__global const gemp_key4 *)(keys + from + ahead);
		for (uint i = lid; i < fours; i += GEMP_GROUP) {
			gemp_key4 four = vectors[i];
			atomic_inc(&here[split_bin(four.x)]);
			atomic_inc(&here[split_bin(four.y)]);
			atomic_inc(&here[split_bin(four.z)]);
			atomic_inc(&here[split_bin(four.w)]);
		}
		for (uint i = ahead + fours * 4 + lid; i < length; i += GEMP_GROUP)
			atomic_inc(&here[split_bin(keys[from + i])]);
		primitive_barrier();
		for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
			if (here[b]) {
				atomic_add(&counts[segment << SPLIT_BITS | b], here[b]);
				here[b] = 0;
			}
		primitive_barrier();
		tile = until;
		segment++;
		while (tile < last && tiles[segment + 1] <= tile) /* segments without tiles */
			segment++;
	}
}

/* A group a tile. places[bucket] is where it begins; left[bucket] are its keys that have no place yet, all of them at
 * first: they are given out from the end on. */
PRIMITIVE_KERNEL void split_move(__global const gemp_key *restrict keys, __global gemp_key *restrict out,
#if GEMP_VALUE_BITS
                                 __global const split_value *restrict values, __global split_value *restrict out_values,
#endif
                                 __global const uint *restrict begin, __global const uint *restrict tiles, uint segments,
                                 gemp_key flip, gemp_key spread, gemp_key least, uint shift,
                                 __global const uint *restrict places, volatile __global uint *left)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__local uint first[SPLIT_BINS]; /* counts of the tile, then where a bin begins in it */
	__local uint lift[SPLIT_BINS];  /* from places in the tile to places in the array */
#if GEMP_VALUE_BITS > GEMP_KEY_BITS
	__local split_value stage[SPLIT_WINDOW];
#else
	__local gemp_key stage[SPLIT_WINDOW];
#endif
	__local gemp_key *staged = (__local gemp_key *)stage;
	uint lid = (uint)get_local_id(0), tile = (uint)get_group_id(0);
	if (tile >= tiles[segments])
		return;
	uint segment = split_segment(tiles, segments, tile);
	uint from = begin[segment] + (tile - tiles[segment]) * SPLIT_TILE;
	uint length = min(begin[segment + 1] - from, (uint)SPLIT_TILE);
	gemp_key key[SPLIT_ITEMS];
	uint rank[SPLIT_ITEMS];

	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
		first[b] = 0;
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		key[i] = i * GEMP_GROUP + lid < length ? keys[from + i * GEMP_GROUP + lid] : 0;
	primitive_barrier();
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		rank[i] = i * GEMP_GROUP + lid < length ? atomic_inc(&first[split_bin(key[i])]) : 0;
	primitive_barrier();
	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP) {
		uint mine = first[b], bucket = segment << SPLIT_BITS | b;
		lift[b] = mine ? places[bucket] + atomic_sub(&left[bucket], mine) - mine : 0;
	}
	primitive_barrier();
	primitive_sum_bins(GEMP_GROUP_PASS first, SPLIT_BINS, warps);
	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
		lift[b] -= first[b];
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		rank[i] = i * GEMP_GROUP + lid < length ? rank[i] + first[split_bin(key[i])] : 0xffffffffu;
	primitive_barrier();
	for (uint window = 0; window < length; window += SPLIT_WINDOW) {
#if GEMP_VALUE_BITS
		uint place[SPLIT_SHARE];
#endif
#pragma unroll
		for (uint i = 0; i < SPLIT_ITEMS; i++)
			if (rank[i] - window < SPLIT_WINDOW)
				staged[rank[i] - window] = key[i];
		primitive_barrier();
#pragma unroll
		for (uint k = 0; k < SPLIT_SHARE; k++) {
			uint j = k * GEMP_GROUP + lid;
			gemp_key there = staged[j];
			uint to = lift[split_bin(there)] + window + j;
			if (window + j < length)
				out[to] = there;
#if GEMP_VALUE_BITS
			place[k] = to;
#endif
		}
		primitive_barrier();
#if GEMP_VALUE_BITS
		__local split_value *staged_values = (__local split_value *)stage;
#pragma unroll
		for (uint i = 0; i < SPLIT_ITEMS; i++)
			if (rank[i] - window < SPLIT_WINDOW)
				staged_values[rank[i] - window] = values[from + i * GEMP_GROUP + lid];
		primitive_barrier();
#pragma unroll
		for (uint k = 0; k < SPLIT_SHARE; k++)
			if (window + k * GEMP_GROUP + lid < length)
				out_values[place[k]] = staged_values[k * GEMP_GROUP + lid];
		primitive_barrier();
#endif
	}
}
