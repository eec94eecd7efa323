/* multisplit: orders an array by buckets (src/primitive/split.h); the order within a bucket is arbitrary. The array
 * consists of segments that are split separately. Segment s has the elements from begin[s] to begin[s + 1] and the
 * tiles tiles[s] .. tiles[s + 1] - 1. Its bucket b is bucket s << SPLIT_BITS | b of the result. With SPLIT_WHOLE the
 * array is one segment, and a group computes its tile without reading tables.
 *
 * Options:
 *   SPLIT_BITS        bits of a bucket number
 *   GEMP_RECORD       bytes of a record that begins with its key; 0: keys alone or with values
 *   GEMP_VALUE_BITS   0, 32 or 64; 0 for records
 *   SPLIT_PLAIN       keys are their codes, and `least` is 0
 *   SPLIT_WHOLE       the array is one segment
 *   SPLIT_ITEMS       elements that a work-item holds in registers
 *   SPLIT_WINDOW      elements that pass through local memory at a time, a multiple of GEMP_GROUP; 0: only the numbers
 *                     of elements pass through local memory
 *   SPLIT_TILES       tiles that a group counts one after another
 *   SPLIT_PACKED      1: a register holds two places in a tile */
#include "primitive.clh"

#define SPLIT_BINS (1u << SPLIT_BITS)
#define SPLIT_TILE (GEMP_GROUP * SPLIT_ITEMS)
#ifdef SPLIT_PLAIN
#define split_bin(key) ((uint)((key) >> shift) & (SPLIT_BINS - 1))
#else
#define split_bin(key) ((uint)((primitive_code(key, flip, spread) - least) >> shift) & (SPLIT_BINS - 1))
#endif
#define split_bin_of(element) split_bin(primitive_key_in(element))

#if GEMP_VALUE_BITS == 64
typedef ulong split_value;
#else
typedef uint split_value;
#endif

#ifdef SPLIT_WHOLE
#define SPLIT_SEGMENTS uint count
#define SPLIT_PASS_SEGMENTS count
#else
#define SPLIT_SEGMENTS __global const uint *restrict begin, __global const uint *restrict tiles, uint segments
#define SPLIT_PASS_SEGMENTS begin, tiles, segments
#endif

#ifndef SPLIT_WHOLE
/* Numbers the tiles of all segments. Launched with one group. */
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

/* The segment of a tile is the last one whose first tile is not behind the tile; empty segments come before it. */
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

#endif

/* A group's tile: elements from, ..., from + length - 1 of a segment. The length is 0 for groups behind the last
 * tile. */
typedef struct split_part {
	uint segment, from, length;
} split_part;

static inline split_part split_tile(SPLIT_SEGMENTS, uint tile)
{
	split_part part = { 0, 0, 0 };
#ifdef SPLIT_WHOLE
	if (tile < count / SPLIT_TILE + (count % SPLIT_TILE != 0)) {
		part.from = tile * SPLIT_TILE;
		part.length = min(count - part.from, (uint)SPLIT_TILE);
	}
#else
	if (tile < tiles[segments]) {
		part.segment = split_segment(tiles, segments, tile);
		part.from = begin[part.segment] + (tile - tiles[part.segment]) * SPLIT_TILE;
		part.length = min(begin[part.segment + 1] - part.from, (uint)SPLIT_TILE);
	}
#endif
	return part;
}

/* Counts elements[0 .. length - 1] by bucket in here[]. */
#define SPLIT_CODES gemp_key flip, gemp_key spread, gemp_key least, uint shift
#define SPLIT_PASS_CODES flip, spread, least, shift
static inline void split_count_run(__global const gemp_element *elements, uint ahead, uint length, SPLIT_CODES,
                                   volatile __local uint *here)
{
	uint lid = (uint)get_local_id(0);
#if GEMP_RECORD
	for (uint i = lid; i < length; i += GEMP_GROUP)
		atomic_inc(&here[split_bin(*(__global const gemp_key *)(elements + i))]);
#else
	ahead = min(length, ahead); /* elements before the first aligned vector */
	for (uint i = lid; i < ahead; i += GEMP_GROUP)
		atomic_inc(&here[split_bin(elements[i])]);
	uint fours = (length - ahead) / 4;
	__global const gemp_key4 *vectors = (__global const gemp_key4 *)(elements + ahead);
	for (uint i = lid; i < fours; i += GEMP_GROUP) {
		gemp_key4 four = vectors[i];
		atomic_inc(&here[split_bin(four.x)]);
		atomic_inc(&here[split_bin(four.y)]);
		atomic_inc(&here[split_bin(four.z)]);
		atomic_inc(&here[split_bin(four.w)]);
	}
	for (uint i = ahead + fours * 4 + lid; i < length; i += GEMP_GROUP)
		atomic_inc(&here[split_bin(elements[i])]);
#endif
}

static inline void split_add_counts(volatile __local uint *here, volatile __global uint *counts)
{
	primitive_barrier();
	for (uint b = (uint)get_local_id(0); b < SPLIT_BINS; b += GEMP_GROUP)
		if (here[b]) {
			atomic_add(&counts[b], here[b]);
			here[b] = 0;
		}
	primitive_barrier();
}

PRIMITIVE_KERNEL void split_count(__global const gemp_element *restrict elements, SPLIT_SEGMENTS, SPLIT_CODES,
                                  volatile __global uint *counts)
{
	volatile __local uint here[SPLIT_BINS];
	uint first = (uint)get_group_id(0) * SPLIT_TILES;
	for (uint b = (uint)get_local_id(0); b < SPLIT_BINS; b += GEMP_GROUP)
		here[b] = 0;
	primitive_barrier();
#ifdef SPLIT_WHOLE
	uint from = first * SPLIT_TILE, length = primitive_end(from, SPLIT_TILES * SPLIT_TILE, count) - from;
	split_count_run(elements + from, (0 - from) & 3, length, SPLIT_PASS_CODES, here);
	split_add_counts(here, counts);
#else
	uint last = min(first + SPLIT_TILES, tiles[segments]), segment = split_segment(tiles, segments, first);
	for (uint tile = first; tile < last;) {
		uint until = min(last, tiles[segment + 1]); /* the end of this segment's tiles */
		uint from = begin[segment] + (tile - tiles[segment]) * SPLIT_TILE;
		uint length = min(begin[segment + 1] - from, (until - tile) * SPLIT_TILE);
		split_count_run(elements + from, (0 - from) & 3, length, SPLIT_PASS_CODES, here);
		split_add_counts(here, counts + ((size_t)segment << SPLIT_BITS));
		tile = until;
		segment++;
		while (tile < last && tiles[segment + 1] <= tile) /* segments without tiles */
			segment++;
	}
#endif
}

/* Reserves the places of a tile in the array. Both kernels that move tiles call this. counts[bin] is the number of the
 * tile's elements in the bin, and becomes the place in the tile where the bin begins. lift[bin] becomes the difference
 * from places in the tile to places in the array; the caller needs a barrier before it reads lift[]. places[bucket] is
 * the begin of a bucket in the array, and left[bucket] is the number of its elements without a place. Places are
 * assigned from the end of the bucket. */
static inline void split_reserve(GEMP_GROUP_PARAMETER __local uint *counts, __local uint *lift, __local uint *warps,
                                 uint segment, __global const uint *restrict places, volatile __global uint *left)
{
	uint room[PRIMITIVE_BINS_OF_ITEM(SPLIT_BINS)]; /* the atomics are in flight during the sums */
#pragma unroll
	for (uint k = 0; k < PRIMITIVE_BINS_OF_ITEM(SPLIT_BINS); k++) {
		uint b = k * GEMP_GROUP + (uint)get_local_id(0), bucket = segment << SPLIT_BITS | b;
		uint mine = b < SPLIT_BINS ? counts[b] : 0;
		room[k] = mine ? places[bucket] + atomic_sub(&left[bucket], mine) - mine : 0;
	}
	primitive_sum_bins(GEMP_GROUP_PASS counts, SPLIT_BINS, warps);
#pragma unroll
	for (uint k = 0; k < PRIMITIVE_BINS_OF_ITEM(SPLIT_BINS); k++) {
		uint b = k * GEMP_GROUP + (uint)get_local_id(0);
		if (b < SPLIT_BINS)
			lift[b] = room[k] - counts[b];
	}
#ifndef GEMP_NVIDIA
	/* PoCL 3.1 omits the writes of lift[] for records of 32 bytes in two buckets, unless a barrier follows here. */
	primitive_barrier();
#endif
}

/* One group moves one tile. A work-item holds its elements in registers; the elements pass through a window of local
 * memory, which orders them by bin. */
#if SPLIT_WINDOW
#define SPLIT_SHARE (SPLIT_WINDOW / GEMP_GROUP) /* elements of a work-item in a window */
#if GEMP_VALUE_BITS > GEMP_KEY_BITS
typedef split_value split_staged;
#else
typedef gemp_element split_staged;
#endif

/* Places in a tile are less than 2^15; with SPLIT_PACKED a register holds two of them. */
#define SPLIT_NOWHERE 0xffffu
#if SPLIT_PACKED
#define SPLIT_RANKS ((SPLIT_ITEMS + 1) / 2)
#define split_rank(i) (rank[(i) / 2] >> 16 * ((i) % 2) & 0xffff)
#define split_rank_add(i, more) (rank[(i) / 2] += (more) << 16 * ((i) % 2))
#else
#define SPLIT_RANKS SPLIT_ITEMS
#define split_rank(i) rank[i]
#define split_rank_add(i, more) (rank[i] += (more))
#endif

/* Full tiles have no kernel of their own: without the tests of `length` the kernel takes a third longer on an H200
 * (2026-11-23). */
PRIMITIVE_KERNEL void split_move(__global const gemp_element *restrict elements, __global gemp_element *restrict out,
#if GEMP_VALUE_BITS
                                 __global const split_value *restrict values, __global split_value *restrict out_values,
#endif
                                 SPLIT_SEGMENTS, SPLIT_CODES, __global const uint *restrict places,
                                 volatile __global uint *left)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	/* number of the tile's elements in each bin, then the bin's first place in the tile */
	__local uint first[SPLIT_BINS];
	__local uint lift[SPLIT_BINS];
	__local split_staged stage[SPLIT_WINDOW];
	__local gemp_element *staged = (__local gemp_element *)stage;
	uint lid = (uint)get_local_id(0);
	const split_part part = split_tile(SPLIT_PASS_SEGMENTS, (uint)get_group_id(0));
	uint from = part.from, length = part.length;
	if (length == 0)
		return;
	gemp_element element[SPLIT_ITEMS];
	uint rank[SPLIT_RANKS] = { 0 };
#define split_here(i) ((i) * GEMP_GROUP + lid < length)
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		if (split_here(i))
			element[i] = elements[from + i * GEMP_GROUP + lid];
	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
		first[b] = 0;
	primitive_barrier();
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		if (split_here(i))
			split_rank_add(i, atomic_inc(&first[split_bin_of(element[i])]));
	primitive_barrier();
	split_reserve(GEMP_GROUP_PASS first, lift, warps, part.segment, places, left);
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		split_rank_add(i, split_here(i) ? first[split_bin_of(element[i])] : SPLIT_NOWHERE);
	for (uint window = 0; window < length; window += SPLIT_WINDOW) {
#if GEMP_VALUE_BITS
		uint place[SPLIT_SHARE];
#endif
#pragma unroll
		for (uint i = 0; i < SPLIT_ITEMS; i++)
			if (split_rank(i) - window < SPLIT_WINDOW)
				staged[split_rank(i) - window] = element[i];
		primitive_barrier();
#pragma unroll
		for (uint k = 0; k < SPLIT_SHARE; k++) {
			uint j = k * GEMP_GROUP + lid;
			gemp_element there = staged[j];
			uint to = lift[split_bin_of(there)] + window + j;
			if (window + j < length)
				out[to] = there;
#if GEMP_VALUE_BITS
			place[k] = to;
#endif
		}
		if (!GEMP_VALUE_BITS && SPLIT_TILE <= SPLIT_WINDOW)
			break;
		primitive_barrier();
#if GEMP_VALUE_BITS
		__local split_value *staged_values = (__local split_value *)stage;
#pragma unroll
		for (uint i = 0; i < SPLIT_ITEMS; i++)
			if (split_rank(i) - window < SPLIT_WINDOW)
				staged_values[split_rank(i) - window] = values[from + i * GEMP_GROUP + lid];
		primitive_barrier();
#pragma unroll
		for (uint k = 0; k < SPLIT_SHARE; k++)
			if (window + k * GEMP_GROUP + lid < length)
				out_values[place[k]] = staged_values[k * GEMP_GROUP + lid];
		primitive_barrier();
#endif
	}
}

#else

/* One group moves one tile: it orders the numbers of the elements, and then copies records in pieces of 16 bytes.
 * keys[i * stride] is the key of element i. */
#define SPLIT_PIECES (GEMP_RECORD / 16)
PRIMITIVE_KERNEL void split_move_by_number(__global const uint4 *restrict elements, __global uint4 *restrict out,
                                           __global const gemp_key *restrict keys, uint stride, SPLIT_SEGMENTS, SPLIT_CODES,
                                           __global const uint *restrict places, volatile __global uint *left)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	/* counts of bins; later bin << 16 | number in the tile */
	__local uint order[SPLIT_TILE > SPLIT_BINS ? SPLIT_TILE : SPLIT_BINS];
	__local uint lift[SPLIT_BINS];
	uint lid = (uint)get_local_id(0);
	const split_part part = split_tile(SPLIT_PASS_SEGMENTS, (uint)get_group_id(0));
	uint from = part.from, length = part.length;
	if (length == 0)
		return;
	uint bin[SPLIT_ITEMS], rank[SPLIT_ITEMS];
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		bin[i] = i * GEMP_GROUP + lid < length ? split_bin(keys[(size_t)(from + i * GEMP_GROUP + lid) * stride]) : 0;
	for (uint b = lid; b < SPLIT_BINS; b += GEMP_GROUP)
		order[b] = 0;
	primitive_barrier();
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		rank[i] = i * GEMP_GROUP + lid < length ? atomic_inc(&order[bin[i]]) : 0;
	primitive_barrier();
	split_reserve(GEMP_GROUP_PASS order, lift, warps, part.segment, places, left);
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		rank[i] += order[bin[i]];
	primitive_barrier();
#pragma unroll
	for (uint i = 0; i < SPLIT_ITEMS; i++)
		if (i * GEMP_GROUP + lid < length)
			order[rank[i]] = bin[i] << 16 | (i * GEMP_GROUP + lid);
	primitive_barrier();
	elements += (size_t)from * SPLIT_PIECES;
#pragma unroll 4
	for (uint i = 0; i < SPLIT_ITEMS * SPLIT_PIECES; i++) {
		uint k = i * GEMP_GROUP + lid, j = k / SPLIT_PIECES, piece = k % SPLIT_PIECES;
		if (j < length)
			out[(size_t)(lift[order[j] >> 16] + j) * SPLIT_PIECES + piece] = elements[(order[j] & 0xffff) * SPLIT_PIECES + piece];
	}
}

#endif
