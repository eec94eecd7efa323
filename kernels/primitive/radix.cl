/* radix: one stable pass of a radix sort (src/primitive/sort.h). A work-group, or a work-item in the form for CPUs,
 * processes a slab of `slab` keys. counts[b * slabs + s] is the number of keys of slab s in bucket b. After the scan it
 * is the number of keys of bucket b in earlier slabs, and totals[b] is the number of keys in bucket b. */
#include "radix.clh"

#ifdef RADIX_PLAIN
#define radix_digit_at(key, shift) ((uint)((key) >> (shift)) & (RADIX_BINS - 1))
#else
#define radix_digit_at(key, shift) ((uint)((primitive_code(key, flip, spread) - least) >> (shift)) & (RADIX_BINS - 1))
#endif
#define radix_digit(key) radix_digit_at(key, shift)

#ifdef GEMP_GROUP

PRIMITIVE_KERNEL void radix_count(__global const gemp_key *restrict keys, uint count, uint slab, gemp_key flip,
                                  gemp_key spread, gemp_key least, uint shift, __global uint *restrict counts)
{
	__local uint here[RADIX_BINS];
	uint begin = (uint)get_group_id(0) * slab, length = primitive_end(begin, slab, count) - begin;
	for (uint b = (uint)get_local_id(0); b < RADIX_BINS; b += GEMP_GROUP)
		here[b] = 0;
	primitive_barrier();
	for (uint i = (uint)get_local_id(0); i < length / 4; i += GEMP_GROUP) {
		gemp_key4 four = primitive_fours(keys + begin)[i];
		atomic_inc(&here[radix_digit(four.x)]);
		atomic_inc(&here[radix_digit(four.y)]);
		atomic_inc(&here[radix_digit(four.z)]);
		atomic_inc(&here[radix_digit(four.w)]);
	}
	for (uint i = length / 4 * 4 + (uint)get_local_id(0); i < length; i += GEMP_GROUP)
		atomic_inc(&here[radix_digit(keys[begin + i])]);
	primitive_barrier();
	for (uint b = (uint)get_local_id(0); b < RADIX_BINS; b += GEMP_GROUP)
		counts[(size_t)b * get_num_groups(0) + get_group_id(0)] = here[b];
}

/* Scans the counts of a bucket. One group for each bucket. */
PRIMITIVE_KERNEL void radix_rows(__global uint *counts, uint slabs, __global uint *totals)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__global uint *row = counts + get_group_id(0) * (size_t)slabs;
	uint before = 0, all;
	for (uint first = 0; first < slabs; first += GEMP_GROUP) {
		uint i = first + (uint)get_local_id(0), sum = i < slabs ? row[i] : 0;
		sum = before + primitive_sums(GEMP_GROUP_PASS sum, warps, &all);
		if (i < slabs)
			row[i] = sum;
		before += all;
	}
	if (get_local_id(0) == 0)
		totals[get_group_id(0)] = before;
}

/* Each warp of a tile ranks its own consecutive keys; local memory then orders the tile, which makes writes contiguous.
 * The last tile of a slab is padded with keys of the last bucket, which are not written. */
PRIMITIVE_KERNEL void radix_move(__global const gemp_key *restrict keys, __global gemp_key *restrict out,
#if GEMP_VALUE_BITS
                                 __global const radix_value *restrict values, __global radix_value *restrict out_values,
#endif
                                 uint count, uint slab, gemp_key flip, gemp_key spread, gemp_key least, uint shift,
                                 __global const uint *restrict counts, __global const uint *restrict totals)
{
	GEMP_GROUP_DECLARE
	__local uint warps[PRIMITIVE_WARPS];
	__local uint ranks[PRIMITIVE_WARPS * RADIX_BINS]; /* keys of a bucket in lower warps */
	__local uint first[RADIX_BINS];                   /* first place of each bucket in the tile */
	__local uint next[RADIX_BINS];                    /* place in the array of each bucket's next key */
	/* difference from places in the tile to places in the array, for each bucket */
	__local uint lift[RADIX_BINS];
	__local radix_staged stage[RADIX_TILE];
	/* 0; volatile, so that values that depend on it are computed again for each tile and do not occupy registers */
	volatile __local uint nothing;
	__local gemp_key *staged = (__local gemp_key *)stage;
	uint lid = (uint)get_local_id(0), begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count);
	gemp_key key[RADIX_ITEMS];
	uint rank[RADIX_ITEMS];

	for (uint b = lid; b < RADIX_BINS; b += GEMP_GROUP)
		next[b] = totals[b];
	if (lid == 0)
		nothing = 0;
	primitive_barrier();
	primitive_sum_bins(GEMP_GROUP_PASS next, RADIX_BINS, warps);
	for (uint b = lid; b < RADIX_BINS; b += GEMP_GROUP)
		next[b] += counts[(size_t)b * get_num_groups(0) + get_group_id(0)];

	for (uint tile = begin; tile < end; tile = primitive_end(tile, RADIX_TILE, end)) {
		lid = (uint)get_local_id(0) + nothing;
		uint warp = lid / GEMP_LANES, own = warp * GEMP_LANES * RADIX_ITEMS + lid % GEMP_LANES;
		uint length = min(end - tile, (uint)RADIX_TILE);
		__local uint *mine = ranks + warp * RADIX_BINS;
		for (uint b = lid; b < PRIMITIVE_WARPS * RADIX_BINS; b += GEMP_GROUP)
			ranks[b] = 0;
		__global const gemp_key *from = keys + tile + own;
		if (length == RADIX_TILE) {
#pragma unroll
			for (uint i = 0; i < RADIX_ITEMS; i++)
				key[i] = from[i * GEMP_LANES];
		} else {
#pragma unroll
			for (uint i = 0; i < RADIX_ITEMS; i++)
				key[i] = own + i * GEMP_LANES < length ? from[i * GEMP_LANES] : primitive_key(~(gemp_key)0 + least, flip, spread);
		}
		primitive_barrier();
#ifdef GEMP_NVIDIA
#pragma unroll
#endif
		for (uint i = 0; i < RADIX_ITEMS; i++) {
			uint digit = radix_digit(key[i]), all, below = radix_alike(GEMP_GROUP_PASS digit, &all);
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
			first[b] = sum;
			lift[b] = next[b];
			next[b] += sum;
		}
		primitive_barrier();
		primitive_sum_bins(GEMP_GROUP_PASS first, RADIX_BINS, warps);
		for (uint b = lid; b < RADIX_BINS; b += GEMP_GROUP)
			lift[b] -= first[b];
		uint again = shift + nothing; /* computes digits again */
		mine = ranks + (warp + nothing) * RADIX_BINS;
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++) {
			uint digit = radix_digit_at(key[i], again);
			rank[i] += first[digit] + mine[digit];
			staged[rank[i]] = key[i];
		}
		primitive_barrier();
		__local const gemp_key *leaving = staged + lid;
#if GEMP_VALUE_BITS
		uint place[RADIX_ITEMS];
#endif
		again = shift + nothing;
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++) {
			gemp_key there = leaving[i * GEMP_GROUP];
			uint to = lift[radix_digit_at(there, again)] + i * GEMP_GROUP + lid;
			if (i * GEMP_GROUP + lid < length)
				out[to] = there;
#if GEMP_VALUE_BITS
			place[i] = to;
#endif
		}
		primitive_barrier();
#if GEMP_VALUE_BITS
		__local radix_value *staged_values = (__local radix_value *)stage;
		__global const radix_value *values_from = values + tile + own;
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++)
			if (own + i * GEMP_LANES < length)
				staged_values[rank[i]] = values_from[i * GEMP_LANES];
		primitive_barrier();
		__local const radix_value *values_leaving = staged_values + lid;
#pragma unroll
		for (uint i = 0; i < RADIX_ITEMS; i++)
			if (i * GEMP_GROUP + lid < length)
				out_values[place[i]] = values_leaving[i * GEMP_GROUP];
		primitive_barrier();
#endif
	}
}

#else

/* With `lines`, the elements of a bucket are collected in a line of 256 bytes, which is written as a whole with
 * non-temporal stores: memory is then not read before it is written. Without `lines` every element is written at once,
 * which is faster if the output fits into a cache. */
#define RADIX_LINE 256
#if __has_builtin(__builtin_nontemporal_store)
#define radix_stream(to, value) __builtin_nontemporal_store((value), (to))
#else
#define radix_stream(to, value) (*(to) = (value))
#endif

__kernel void radix_count(__global const gemp_element *restrict elements, uint count, uint slab, gemp_key flip, gemp_key spread,
                          gemp_key least, uint shift, __global uint *restrict counts)
{
	/* two counters used alternately: neighbouring keys often have the same digit, and one counter would make their
	 * updates dependent */
	uint here[2][RADIX_BINS];
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count), i = begin;
	for (uint b = 0; b < RADIX_BINS; b++)
		here[0][b] = here[1][b] = 0;
	for (; i + 1 < end; i += 2) {
		here[0][radix_digit(primitive_key_in(elements[i]))]++;
		here[1][radix_digit(primitive_key_in(elements[i + 1]))]++;
	}
	if (i < end)
		here[0][radix_digit(primitive_key_in(elements[i]))]++;
	for (uint b = 0; b < RADIX_BINS; b++)
		counts[(size_t)b * get_global_size(0) + get_global_id(0)] = here[0][b] + here[1][b];
}

/* Scans the counts of a bucket. One work-item for each bucket. */
__kernel void radix_rows(__global uint *counts, uint slabs, __global uint *totals)
{
	__global uint *row = counts + get_global_id(0) * (size_t)slabs;
	uint before = 0;
	for (uint s = 0; s < slabs; s++) {
		uint there = row[s];
		row[s] = before;
		before += there;
	}
	totals[get_global_id(0)] = before;
}

/* name_put writes element `it` to place `to`, through the line of its bucket. *first is the first place of this
 * work-item in the bucket. name_end writes the remaining elements of the line; `to` is the next place. phase is the
 * number of places between the last aligned line and `out`. */
#define RADIX_LINES(name, type)                                                                                     \
static inline void name##_some(const type *line, __global type *out, uint to, uint some, uint at)                  \
{                                                                                                                   \
	for (uint k = 1; k <= some; k++)                                                                            \
		out[to - k] = line[at - k];                                                                         \
}                                                                                                                   \
                                                                                                                    \
static inline void name##_put(type *line, __global type *out, uint to, const uint *first, uint phase, type it)     \
{                                                                                                                   \
	const uint of_line = RADIX_LINE / sizeof(type);                                                             \
	uint at = (to + phase) % of_line;                                                                           \
	line[at] = it;                                                                                              \
	if (at < of_line - 1)                                                                                       \
		return;                                                                                             \
	if (to - *first < of_line - 1) {                                                                            \
		name##_some(line, out, to + 1, to + 1 - *first, of_line);                                           \
		return;                                                                                             \
	}                                                                                                           \
	__global ulong4 *there = (__global ulong4 *)(out + (to - at));                                              \
	for (uint k = 0; k < RADIX_LINE / sizeof(ulong4); k++)                                                      \
		radix_stream(there + k, ((const ulong4 *)line)[k]);                                                 \
}                                                                                                                   \
                                                                                                                    \
static inline void name##_end(const type *line, __global type *out, uint to, uint first, uint phase)               \
{                                                                                                                   \
	uint at = (to + phase) % (uint)(RADIX_LINE / sizeof(type));                                                 \
	name##_some(line, out, to, min(at, to - first), at);                                                        \
}
RADIX_LINES(radix_element, gemp_element)
#if GEMP_VALUE_BITS
RADIX_LINES(radix_value, radix_value)
#endif
#define radix_phase(out) ((uint)((size_t)(out) % RADIX_LINE / sizeof *(out)))

__kernel void radix_move(__global const gemp_element *restrict elements, __global gemp_element *restrict out,
#if GEMP_VALUE_BITS
                         __global const radix_value *restrict values, __global radix_value *restrict out_values,
#endif
                         uint count, uint slab, gemp_key flip, gemp_key spread, gemp_key least, uint shift,
                         __global const uint *restrict counts, __global const uint *restrict totals, uint lines)
{
	gemp_element line[RADIX_BINS][RADIX_LINE / sizeof(gemp_element)] __attribute__((aligned(RADIX_LINE)));
#if GEMP_VALUE_BITS
	radix_value value_line[RADIX_BINS][RADIX_LINE / sizeof(radix_value)] __attribute__((aligned(RADIX_LINE)));
	uint value_phase = radix_phase(out_values);
#endif
	uint first[RADIX_BINS], next[RADIX_BINS], before = 0, phase = radix_phase(out);
	uint begin = (uint)get_global_id(0) * slab, end = primitive_end(begin, slab, count);
	for (uint b = 0; b < RADIX_BINS; b++) {
		first[b] = next[b] = before + counts[(size_t)b * get_global_size(0) + get_global_id(0)];
		before += totals[b];
	}
	for (uint i = begin; i < end && !lines; i++) {
		gemp_element element = elements[i];
		uint to = next[radix_digit(primitive_key_in(element))]++;
		out[to] = element;
#if GEMP_VALUE_BITS
		out_values[to] = values[i];
#endif
	}
	if (!lines)
		return;
	for (uint i = begin; i < end; i++) {
		gemp_element element = elements[i];
		uint digit = radix_digit(primitive_key_in(element)), to = next[digit]++;
		radix_element_put(line[digit], out, to, first + digit, phase, element);
#if GEMP_VALUE_BITS
		radix_value_put(value_line[digit], out_values, to, first + digit, value_phase, values[i]);
#endif
	}
	for (uint b = 0; b < RADIX_BINS; b++) {
		radix_element_end(line[b], out, next[b], first[b], phase);
#if GEMP_VALUE_BITS
		radix_value_end(value_line[b], out_values, next[b], first[b], value_phase);
#endif
	}
}

#endif
