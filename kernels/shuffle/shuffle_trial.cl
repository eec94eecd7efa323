/* shuffle_trial: generates tuples for tests and benchmarks of shuffles, and checks results (src/shuffle/shuffle.h).
 *
 * Options: those of shuffle.cl; TRIAL_WORDS: words of an element of tuples[]. */
#include "group.clh"

/* SplitMix64's finaliser. */
static inline ulong trial_mix(ulong x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9UL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebUL;
	return x ^ x >> 31;
}

#define TRIAL_BITS (SHUFFLE_BITS + SHUFFLE_SHIFT)

/* Returns the destination for a random number: an owner with equal probability, and one of its destinations, which are
 * less than 2^TRIAL_BITS. Skewed: an eighth of the tuples has a destination of the whole range, an eighth of its first
 * half, an eighth of its first quarter, and so on. */
static inline uint trial_destination(ulong draw, uint owners, uint skewed)
{
	uint owner = (uint)(draw >> 40) % owners, own = (uint)draw & ((1u << TRIAL_BITS) - 1);
	return owner << TRIAL_BITS | (skewed ? own >> (draw >> 32 & 7) : own);
}

__kernel void trial_make(__global uint *destinations, __global uint *tuples, uint count, ulong seed, uint owners, uint skewed)
{
	for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) {
		ulong draw = trial_mix(seed + i * 0x9e3779b97f4a7c15UL);
		uint to = trial_destination(draw, owners, skewed), value = (uint)trial_mix(draw);
#ifdef SHUFFLE_COLUMN
		destinations[i] = to;
#endif
		for (uint k = 0; k < TRIAL_WORDS; k++)
			tuples[(size_t)i * TRIAL_WORDS + k] = value + k;
#if SHUFFLE_VALUE == 0 && GEMP_RECORD == 0
		tuples[i] = to << 16 | (value & 0xffff);
#elif SHUFFLE_VALUE == 0
		tuples[(size_t)i * TRIAL_WORDS] = to;
#endif
	}
}

static inline uint trial_destination_of(__global const uint *destinations, __global const uint *tuples, uint i)
{
#if SHUFFLE_VALUE
	return destinations[i];
#elif GEMP_RECORD
	return tuples[(size_t)i * TRIAL_WORDS];
#else
	return tuples[i] >> 16;
#endif
}

/* Each work-item writes found[2]: the sum of the hashes of its tuples, which does not depend on their order; and, if
 * `begin` is not null, the number of its tuples outside their range. */
__kernel void trial_look(__global const uint *destinations, __global const uint *tuples, uint count,
                         __global const uint *begin, __global ulong *found)
{
	ulong sum = 0, astray = 0;
	for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0)) {
		uint to = trial_destination_of(destinations, tuples, i), range = to >> SHUFFLE_SHIFT & ((1u << SHUFFLE_BITS) - 1);
		ulong hash = trial_mix(to + 1);
		for (uint k = 0; k < TRIAL_WORDS; k++)
			hash = hash * 31 + tuples[(size_t)i * TRIAL_WORDS + k];
		sum += trial_mix(hash);
		if (begin)
			astray += i < begin[range] || i >= begin[range + 1];
	}
	found[(size_t)get_global_id(0) * 2] = sum;
	found[(size_t)get_global_id(0) * 2 + 1] = astray;
}

/* Counts the sums that differ between a and b. */
__kernel void trial_compare(__global const uint *a, __global const uint *b, uint count, __global ulong *found)
{
	ulong differ = 0;
	for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
		differ += a[i] != b[i];
	found[(size_t)get_global_id(0) * 2] = differ;
	found[(size_t)get_global_id(0) * 2 + 1] = 0;
}
