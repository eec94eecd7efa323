/* compact: set bits of a bitmap become a list of their indices. Two launches over the same chunks of words:
 * compact_count, then compact_write. Bits past `count` do not count. */
#include "scan.clh"

static inline uint word_at(__global const uint *bitmap, ulong word, ulong count)
{
	ulong left = count - word * 32;
	return left >= 32 ? bitmap[word] : bitmap[word] & ((1u << left) - 1);
}

__kernel void compact_count(__global const uint *bitmap, ulong count, ulong chunk, __global uint *sums,
                            __local uint *scratch)
{
	ulong words = (count + 31) / 32;
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, words);
	uint sum = 0;
	for (ulong i = begin + get_local_id(0); i < end; i += get_local_size(0))
		sum += popcount(word_at(bitmap, i, count));
	sum = group_sum(scratch, sum);
	if (get_local_id(0) == 0)
		sums[get_group_id(0)] = sum;
}

__kernel void compact_write(__global const uint *bitmap, ulong count, ulong chunk, __global const uint *sums, uint base,
                            __global uint *out, __local uint *scratch)
{
	ulong words = (count + 31) / 32;
	ulong begin = get_group_id(0) * chunk, end = min(begin + chunk, words);
	uint at = groups_before(scratch, sums);
	for (ulong tile = begin; tile < end; tile += get_local_size(0)) {
		ulong word = tile + get_local_id(0);
		uint bits = word < end ? word_at(bitmap, word, count) : 0, all;
		uint place = at + group_scan(scratch, popcount(bits), &all);
		for (; bits; bits &= bits - 1)
			out[place++] = base + (uint)(word * 32) + popcount((bits & -bits) - 1);
		at += all;
	}
}
