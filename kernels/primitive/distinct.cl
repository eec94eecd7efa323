/* distinct: the distinct keys of an array (src/primitive/distinct.h). One method sets a bit for each key in a bitmap
 * and writes the set bits as keys. The other method keeps the first key of each run of sorted keys. The bit of a key is
 * its code minus `least`. The bitmap is divided into pieces of DISTINCT_WORDS words. A group holds a piece in local
 * memory; in the form for CPUs a work-item reads a piece. */
#include "primitive.clh"

#define DISTINCT_WORDS 2048u
#define DISTINCT_BITS (DISTINCT_WORDS * 32)
#define distinct_bit(key) (uint)(primitive_code(key, flip, spread) - least)

#ifdef GEMP_GROUP

#define DISTINCT_SHARE (DISTINCT_WORDS / GEMP_GROUP)
#define DISTINCT_STAGE 8192

/* Reads the bit before it sets it: most bits are already set, and reading saves the atomic operation. */
#define distinct_mark(bits, bit)                                            \
	do {                                                                \
		uint at_ = (bit), mask_ = 1u << (at_ & 31);                 \
		if (!((bits)[at_ >> 5] & mask_))                            \
			atomic_or(&(bits)[at_ >> 5], mask_);                \
	} while (0)

/* For bitmaps of at most DISTINCT_LOCAL words (an option): each group sets bits in local memory, and then adds them to
 * `bitmap`, which was 0. */
#ifdef DISTINCT_LOCAL
PRIMITIVE_KERNEL void distinct_mark_local(__global const gemp_key *restrict keys, uint count, uint slab, gemp_key flip,
                                          gemp_key spread, gemp_key least, uint words, volatile __global uint *bitmap)
{
	volatile __local uint bits[DISTINCT_LOCAL];
	uint lid = (uint)get_local_id(0), begin = (uint)get_group_id(0) * slab;
	uint length = primitive_end(begin, slab, count) - begin;
	for (uint w = lid; w < words; w += GEMP_GROUP)
		bits[w] = 0;
	primitive_barrier();
	for (uint i = lid; i < length / 4; i += GEMP_GROUP) {
		gemp_key4 four = primitive_fours(keys + begin)[i];
		distinct_mark(bits, distinct_bit(four.x));
		distinct_mark(bits, distinct_bit(four.y));
		distinct_mark(bits, distinct_bit(four.z));
		distinct_mark(bits, distinct_bit(four.w));
	}
	for (uint i = length / 4 * 4 + lid; i < length; i += GEMP_GROUP)
		distinct_mark(bits, distinct_bit(keys[begin + i]));
	primitive_barrier();
	for (uint w = lid; w < words; w += GEMP_GROUP)
		if (bits[w] & ~bitmap[w])
			atomic_or(&bitmap[w], bits[w]);
}
#endif

/* For longer bitmaps that fit into the device's cache: groups set bits in global memory. */
PRIMITIVE_KERNEL void distinct_mark_global(__global const gemp_key *restrict keys, uint count, uint slab, gemp_key flip,
                                           gemp_key spread, gemp_key least, uint words, volatile __global uint *bitmap)
{
	uint begin = (uint)get_group_id(0) * slab, length = primitive_end(begin, slab, count) - begin;
	for (uint i = (uint)get_local_id(0); i < length; i += GEMP_GROUP)
		distinct_mark(bitmap, distinct_bit(keys[begin + i]));
}

/* Group s sets the bits of segment s, the keys from begin[s] to begin[s + 1], in piece s, and counts the bits. */
PRIMITIVE_KERNEL void distinct_mark_segments(__global const gemp_key *restrict keys, __global const uint *restrict begin,
                                             gemp_key flip, gemp_key spread, gemp_key least, __global uint *restrict bitmap,
                                             __global uint *restrict counts)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	volatile __local uint bits[DISTINCT_WORDS];
	uint lid = (uint)get_local_id(0), piece = (uint)get_group_id(0), end = begin[piece + 1], sum = 0, all;
	for (uint w = lid; w < DISTINCT_WORDS; w += GEMP_GROUP)
		bits[w] = 0;
	primitive_barrier();
	for (uint i = begin[piece] + lid; i < end; i += GEMP_GROUP) {
		uint bit = distinct_bit(keys[i]) & (DISTINCT_BITS - 1);
		atomic_or(&bits[bit >> 5], 1u << (bit & 31));
	}
	primitive_barrier();
	__global uint *mine = bitmap + (size_t)piece * DISTINCT_WORDS;
	for (uint w = lid; w < DISTINCT_WORDS; w += GEMP_GROUP) {
		mine[w] = bits[w];
		sum += popcount(bits[w]);
	}
	primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
	if (lid == 0)
		counts[piece] = all;
}

PRIMITIVE_KERNEL void distinct_count(__global const uint *restrict bitmap, uint words, __global uint *restrict counts)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	uint begin = (uint)get_group_id(0) * DISTINCT_WORDS, end = primitive_end(begin, DISTINCT_WORDS, words), sum = 0, all;
	for (uint w = begin + (uint)get_local_id(0); w < end; w += GEMP_GROUP)
		sum += popcount(bitmap[w]);
	primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
	if (get_local_id(0) == 0)
		counts[get_group_id(0)] = all;
}

/* Writes the keys of a piece to out[places[piece]] and the following places. Local memory collects them first, so that
 * writes are contiguous. */
PRIMITIVE_KERNEL void distinct_take(__global const uint *restrict bitmap, uint words, gemp_key flip, gemp_key spread,
                                    gemp_key least, __global const uint *restrict places, __global gemp_key *restrict out)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__local ushort stage[DISTINCT_STAGE];
	uint lid = (uint)get_local_id(0), piece = (uint)get_group_id(0), first = lid * DISTINCT_SHARE, sum = 0, all;
	uint from = piece * DISTINCT_WORDS, length = primitive_end(from, DISTINCT_WORDS, words) - from;
	gemp_key base = least + (gemp_key)piece * DISTINCT_BITS;
	uint word[DISTINCT_SHARE];
#ifdef GEMP_NVIDIA
#pragma unroll
#endif
	for (uint k = 0; k < DISTINCT_SHARE; k++) {
		word[k] = first + k < length ? bitmap[from + first + k] : 0;
		sum += popcount(word[k]);
	}
	sum = primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
	for (uint window = 0; window < all; window += DISTINCT_STAGE) {
		uint place = sum - window;
#ifdef GEMP_NVIDIA
#pragma unroll
#endif
		for (uint k = 0; k < DISTINCT_SHARE; k++)
			for (uint rest = word[k]; rest; rest &= rest - 1) {
				if (place < DISTINCT_STAGE)
					stage[place] = (ushort)((first + k) * 32 + 31 - clz(rest & (0 - rest)));
				place++;
			}
		primitive_barrier();
		for (uint j = lid; j < min(all - window, (uint)DISTINCT_STAGE); j += GEMP_GROUP)
			out[places[piece] + window + j] = primitive_key(base + stage[j], flip, spread);
		primitive_barrier();
	}
}

PRIMITIVE_KERNEL void distinct_count_heads(__global const gemp_key *restrict keys, uint count, uint slab,
                                           __global uint *restrict counts)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count), sum = 0, all;
	for (uint i = begin + (uint)get_local_id(0); i < end; i = primitive_end(i, GEMP_GROUP, end))
		sum += i == 0 || keys[i] != keys[i - 1];
	primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
	if (get_local_id(0) == 0)
		counts[get_group_id(0)] = all;
}

PRIMITIVE_KERNEL void distinct_take_heads(__global const gemp_key *restrict keys, uint count, uint slab,
                                          __global const uint *restrict places, __global gemp_key *restrict out)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count), place = places[get_group_id(0)];
	for (uint tile = begin; tile < end; tile = primitive_end(tile, GEMP_GROUP, end)) {
		uint lid = (uint)get_local_id(0), all;
		gemp_key key = lid < end - tile ? keys[tile + lid] : 0;
		uint head = lid < end - tile && (tile + lid == 0 || key != keys[tile + lid - 1]);
		uint before = primitive_sums(GEMP_GROUP_PASS head, warps, &all);
		if (head)
			out[place + before] = key;
		place += all;
	}
}

#else

/* A work-item sets the bits of a whole bucket of 2^`shift` bits. No other work-item writes these words. */
__kernel void distinct_mark_segments(__global const gemp_key *restrict keys, __global const uint *restrict begin,
                                     uint segments, gemp_key flip, gemp_key spread, gemp_key least, __global uint *bitmap)
{
	for (uint s = (uint)get_global_id(0); s < segments; s += (uint)get_global_size(0))
		for (uint i = begin[s]; i < begin[s + 1]; i++) {
			uint bit = distinct_bit(keys[i]);
			bitmap[bit >> 5] |= 1u << (bit & 31);
		}
}

__kernel void distinct_count(__global const uint *restrict bitmap, uint words, __global uint *restrict counts)
{
	uint begin = (uint)get_global_id(0) * DISTINCT_WORDS, end = primitive_end(begin, DISTINCT_WORDS, words), sum = 0;
	for (uint w = begin; w < end; w++)
		sum += popcount(bitmap[w]);
	counts[get_global_id(0)] = sum;
}

__kernel void distinct_take(__global const uint *restrict bitmap, uint words, gemp_key flip, gemp_key spread,
                            gemp_key least, __global const uint *restrict places, __global gemp_key *restrict out)
{
	uint begin = (uint)get_global_id(0) * DISTINCT_WORDS, end = primitive_end(begin, DISTINCT_WORDS, words);
	uint place = places[get_global_id(0)];
	for (uint w = begin; w < end; w++)
		for (uint rest = bitmap[w]; rest; rest &= rest - 1) {
			gemp_key code = least + (gemp_key)w * 32 + (31 - clz(rest & (0 - rest)));
			out[place++] = primitive_key(code, flip, spread);
		}
}

__kernel void distinct_count_heads(__global const gemp_key *restrict keys, uint count, uint slab,
                                   __global uint *restrict counts)
{
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count), sum = 0;
	for (uint i = begin; i < end; i++)
		sum += i == 0 || keys[i] != keys[i - 1];
	counts[get_global_id(0)] = sum;
}

__kernel void distinct_take_heads(__global const gemp_key *restrict keys, uint count, uint slab,
                                  __global const uint *restrict places, __global gemp_key *restrict out)
{
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count), place = places[get_global_id(0)];
	for (uint i = begin; i < end; i++)
		if (i == 0 || keys[i] != keys[i - 1])
			out[place++] = keys[i];
}

#endif
