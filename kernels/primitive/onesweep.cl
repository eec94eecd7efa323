/* onesweep: radix sort with one pass over the keys for each digit (Adinets and Merrill 2022; src/primitive/sort.h). All
 * digits are counted beforehand in one pass. In a sweep, a group takes the next tile with a ticket and publishes the
 * number of its keys in each bucket. Decoupled look-back (Merrill and Garland 2016) adds up the numbers of preceding
 * tiles until it reaches a tile that has published its prefix sum. A group waits only for groups with earlier tickets,
 * which are running, so there is no deadlock.
 *
 * status[tile * 256 + bucket] has a state in its two highest bits and a count in the others: the keys of this tile, or
 * of all tiles up to it. The value of the second state alternates between sweeps, so entries of the previous sweep are
 * invalid and need not be cleared.
 *
 * Options: those of radix.clh; SWEEP_SPREAD: 0 if the code of every key is key ^ flip. */
#include "radix.clh"

#define SWEEP_DIGITS 8 /* maximum number of digits */
#define SWEEP_STATE 30
#define SWEEP_OF_TILE 1u

/* `turned` is the same digit of `flip`: the digit of key ^ flip is the digit of the key ^ turned. */
#if SWEEP_SPREAD
#define sweep_code(key) primitive_code(key, flip, spread)
#define sweep_digit(key, shift) ((uint)(sweep_code(key) >> (shift)) & (RADIX_BINS - 1))
#else
#define sweep_code(key) ((key) ^ flip)
#define sweep_digit(key, shift) (((uint)((key) >> (shift)) & (RADIX_BINS - 1)) ^ turned)
#endif

/* bins: [SWEEP_DIGITS][RADIX_BINS], followed by a ticket for each sweep. */
__kernel void sweep_clear(__global uint *status, uint words, __global uint *bins)
{
	for (uint i = (uint)get_global_id(0); i < words; i += (uint)get_global_size(0))
		status[i] = 0;
	for (uint i = (uint)get_global_id(0); i < SWEEP_DIGITS * (RADIX_BINS + 1); i += (uint)get_global_size(0))
		bins[i] = 0;
}

static inline void sweep_add(__local uint *here, gemp_key code, ulong shifts, uint digits)
{
	for (uint d = 0; d < digits; d++)
		atomic_inc(&here[d * RADIX_BINS + ((uint)(code >> (shifts >> 8 * d & 63)) & (RADIX_BINS - 1))]);
}

/* Byte d of `shifts` is the first bit of digit d. */
PRIMITIVE_KERNEL void sweep_count(__global const gemp_key *restrict keys, uint count, gemp_key flip, gemp_key spread,
                                  ulong shifts, uint digits, __global uint *bins)
{
	__local uint here[SWEEP_DIGITS * RADIX_BINS];
	uint lid = (uint)get_local_id(0), id = (uint)get_global_id(0), stride = (uint)get_global_size(0);
	for (uint b = lid; b < digits * RADIX_BINS; b += GEMP_GROUP)
		here[b] = 0;
	primitive_barrier();
	for (uint i = id; i < count / 4; i += stride) {
		gemp_key4 four = primitive_fours(keys)[i];
		sweep_add(here, sweep_code(four.x), shifts, digits);
		sweep_add(here, sweep_code(four.y), shifts, digits);
		sweep_add(here, sweep_code(four.z), shifts, digits);
		sweep_add(here, sweep_code(four.w), shifts, digits);
	}
	for (uint i = count / 4 * 4 + id; i < count; i += stride)
		sweep_add(here, sweep_code(keys[i]), shifts, digits);
	primitive_barrier();
	for (uint b = lid; b < digits * RADIX_BINS; b += GEMP_GROUP)
		if (here[b])
			atomic_add(&bins[b], here[b]);
}

/* Replaces bins by their exclusive sums, the begins of the buckets. One group for each digit. */
PRIMITIVE_KERNEL void sweep_sums(__global uint *bins)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__local uint sums[RADIX_BINS];
	bins += (uint)get_group_id(0) * RADIX_BINS;
	for (uint b = (uint)get_local_id(0); b < RADIX_BINS; b += GEMP_GROUP)
		sums[b] = bins[b];
	primitive_barrier();
	primitive_sum_bins(GEMP_GROUP_PASS sums, RADIX_BINS, warps);
	for (uint b = (uint)get_local_id(0); b < RADIX_BINS; b += GEMP_GROUP)
		bins[b] = sums[b];
}

/* Decoupled look-back: returns the number of keys of a bucket in all tiles before `tile`, which is not the first
 * tile. */
static inline uint sweep_look_back(volatile __global const uint *status, uint tile, uint bucket, uint up_to)
{
	uint before = 0, state;
	do {
		uint there;
		tile--;
		do {
			there = status[tile * RADIX_BINS + bucket];
			state = there >> SWEEP_STATE;
		} while (state != SWEEP_OF_TILE && state != up_to);
		before += there & ((1u << SWEEP_STATE) - 1);
	} while (state != up_to);
	return before;
}

/* One group moves one tile. Each warp ranks its own consecutive keys; local memory then orders the tile, which makes
 * writes contiguous. The last tile is padded with keys of the last bucket, which are not written. up_to: the state of
 * prefix sums in this sweep, alternately 2 and 3. */
PRIMITIVE_KERNEL void sweep_move(__global const gemp_key *restrict keys, __global gemp_key *restrict out,
#if GEMP_VALUE_BITS
                                 __global const radix_value *restrict values, __global radix_value *restrict out_values,
#endif
                                 uint count, gemp_key flip, gemp_key spread, uint shift, uint sweep, uint up_to,
                                 volatile __global uint *bins, volatile __global uint *status)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__local uint ranks[PRIMITIVE_WARPS * RADIX_BINS]; /* keys of a bucket in lower warps */
	__local uint first[RADIX_BINS];                   /* first place of each bucket in the tile */
	/* difference from places in the tile to places in the array, for each bucket */
	__local uint lift[RADIX_BINS];
	__local radix_staged stage[RADIX_TILE];
	__local uint ticket;
	/* volatile, so that digits are computed again; storing them would spill registers */
	volatile __local uint shift_again;
	__local gemp_key *staged = (__local gemp_key *)stage;
	uint lid = (uint)get_local_id(0), warp = lid / GEMP_LANES, own = warp * GEMP_LANES * RADIX_ITEMS + lid % GEMP_LANES;
	__local uint *mine = ranks + warp * RADIX_BINS;
	const uint turned = (uint)(flip >> shift) & (RADIX_BINS - 1);
	gemp_key key[RADIX_ITEMS];
	uint rank[RADIX_ITEMS];

	if (lid == 0) {
		ticket = atomic_inc(&bins[SWEEP_DIGITS * RADIX_BINS + sweep]);
		shift_again = shift;
	}
	for (uint b = lid; b < PRIMITIVE_WARPS * RADIX_BINS; b += GEMP_GROUP)
		ranks[b] = 0;
	primitive_barrier();
	uint tile = ticket, length = min(count - tile * RADIX_TILE, (uint)RADIX_TILE);
	__global const gemp_key *from = keys + tile * RADIX_TILE + own;
	if (length == RADIX_TILE) {
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++)
			key[i] = from[i * GEMP_LANES];
	} else {
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++)
			key[i] = own + i * GEMP_LANES < length ? from[i * GEMP_LANES] : primitive_key(~(gemp_key)0, flip, spread);
	}
#ifdef GEMP_NVIDIA
#pragma unroll
#endif
	for (uint i = 0; i < RADIX_ITEMS; i++) {
		uint digit = sweep_digit(key[i], shift), all, below = radix_alike(GEMP_GROUP_PASS digit, &all);
		uint before = mine[digit];
		gemp_sync();
		if (below == 0)
			mine[digit] = before + all;
		gemp_sync();
		rank[i] = before + below;
	}
	primitive_barrier();
	for (uint b = lid; b < RADIX_BINS; b += GEMP_GROUP) {
		uint sum = 0;
		for (uint w = 0; w < PRIMITIVE_WARPS; w++) {
			uint there = ranks[w * RADIX_BINS + b];
			ranks[w * RADIX_BINS + b] = sum;
			sum += there;
		}
		first[b] = lift[b] = sum;
		status[tile * RADIX_BINS + b] = (tile ? SWEEP_OF_TILE : up_to) << SWEEP_STATE | sum;
	}
	primitive_barrier();
	primitive_sum_bins(GEMP_GROUP_PASS first, RADIX_BINS, warps);
	shift = shift_again;
#pragma unroll
	for (uint i = 0; i < RADIX_ITEMS; i++) {
		uint digit = sweep_digit(key[i], shift);
		rank[i] += first[digit] + mine[digit];
		staged[rank[i]] = key[i];
	}
	for (uint b = lid; b < RADIX_BINS; b += GEMP_GROUP) {
		uint before = 0;
		if (tile) {
			before = sweep_look_back(status, tile, b, up_to);
			status[tile * RADIX_BINS + b] = up_to << SWEEP_STATE | (before + lift[b]);
		}
		lift[b] = bins[sweep * RADIX_BINS + b] + before - first[b];
	}
	primitive_barrier();
#if GEMP_VALUE_BITS
	uint place[RADIX_ITEMS];
#endif
#pragma unroll
	for (uint i = 0; i < RADIX_ITEMS; i++) {
		gemp_key there = staged[i * GEMP_GROUP + lid];
		uint to = lift[sweep_digit(there, shift)] + i * GEMP_GROUP + lid;
		if (i * GEMP_GROUP + lid < length)
			out[to] = there;
#if GEMP_VALUE_BITS
		place[i] = to;
#endif
	}
#if GEMP_VALUE_BITS
	primitive_barrier();
	__local radix_value *staged_values = (__local radix_value *)stage;
	__global const radix_value *values_from = values + tile * RADIX_TILE + own;
#pragma unroll
	for (uint i = 0; i < RADIX_ITEMS; i++)
		if (own + i * GEMP_LANES < length)
			staged_values[rank[i]] = values_from[i * GEMP_LANES];
	primitive_barrier();
#pragma unroll
	for (uint i = 0; i < RADIX_ITEMS; i++)
		if (i * GEMP_GROUP + lid < length)
			out_values[place[i]] = staged_values[i * GEMP_GROUP + lid];
#endif
}
