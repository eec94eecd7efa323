/* shuffle: reduces the values of tuples at their destinations, by five methods (src/shuffle/shuffle.h). All methods except
 * `atomic` sum a range of destinations in local memory. A work-group processes a range; in the form for CPUs a group
 * has one work-item.
 *
 * Options:
 *   SHUFFLE_BITS, SHUFFLE_SHIFT   as in gemp_shuffle
 *   SHUFFLE_VALUE                 bytes of a value that is stored apart from its destination: 4 or 8; 0 otherwise
 *   GEMP_RECORD                   bytes of a tuple with destination and value; 0 for tuples of 4 bytes
 *   SHUFFLE_COLUMN                destinations are in a column of their own
 *   SHUFFLE_REDUCE                a gemp_shuffle_reduction; 0: sums of integers, 1: sums of floats, 2: minima. Floats are
 *                                 kept as their bits */
#include "primitive.clh"

#define SHUFFLE_RANGES (1u << SHUFFLE_BITS)
#define SHUFFLE_OF_RANGE (1u << SHUFFLE_SHIFT)
#define shuffle_range(destination) ((destination) >> SHUFFLE_SHIFT & (SHUFFLE_RANGES - 1))
#define shuffle_place(destination) ((destination) & (SHUFFLE_OF_RANGE - 1))

#ifdef GEMP_GROUP
#define SHUFFLE_KERNEL PRIMITIVE_KERNEL
#define SHUFFLE_ITEMS GEMP_GROUP
#define shuffle_barrier() primitive_barrier()
#else
#define SHUFFLE_KERNEL __kernel
#define SHUFFLE_ITEMS 1u
#define shuffle_barrier() ((void)0)
#endif

#if !defined SHUFFLE_REDUCE
#define SHUFFLE_REDUCE 0
#endif
#define SHUFFLE_IDENTITY (SHUFFLE_REDUCE == 2 ? UINT_MAX : 0)

/* shuffle_add reduces a value into a sum in local memory, shuffle_add_global into one in global memory. In the form for
 * CPUs one work-item alone has the local sums. Most values are not smaller than the present minimum, and the plain read
 * avoids the atomic for them. */
#if SHUFFLE_REDUCE == 1
#define shuffle_add_global(sum, value) gemp_add_float_global((volatile __global float *)(sum), as_float(value))
#ifdef GEMP_GROUP
#define shuffle_add(sum, value) gemp_add_float_local((volatile __local float *)(sum), as_float(value))
#else
#define shuffle_add(sum, value) (*(sum) = as_uint(as_float(*(sum)) + as_float(value)))
#endif
#elif SHUFFLE_REDUCE == 2
static inline void shuffle_add_global(volatile __global uint *sum, uint value)
{
	if (value < *sum)
		atomic_min(sum, value);
}
static inline void shuffle_add(volatile __local uint *sum, uint value)
{
	if (value < *sum) {
#ifdef GEMP_GROUP
		atomic_min(sum, value);
#else
		*sum = value;
#endif
	}
}
#else
#define shuffle_add_global(sum, value) atomic_add((sum), (value))
#ifdef GEMP_GROUP
#define shuffle_add(sum, value) atomic_add((sum), (value))
#else
#define shuffle_add(sum, value) (*(sum) += (value))
#endif
#endif

#if SHUFFLE_VALUE == 8
typedef ulong shuffle_tuple;
#elif SHUFFLE_VALUE == 4
typedef uint shuffle_tuple;
#else
typedef gemp_element shuffle_tuple;
#endif

static inline uint shuffle_destination(__global const uint *destinations, __global const shuffle_tuple *tuples, size_t i)
{
#ifdef SHUFFLE_COLUMN
	return destinations[i];
#elif GEMP_RECORD
	return *(__global const uint *)(tuples + i);
#else
	return tuples[i] >> 16;
#endif
}

/* The value of a tuple is the sum of all words of its value, so that every byte affects the result. */
static inline uint shuffle_value(shuffle_tuple t)
{
#if SHUFFLE_VALUE == 8
	return (uint)t + (uint)(t >> 32);
#elif SHUFFLE_VALUE == 4
	return t;
#elif GEMP_RECORD == 0
	return t & 0xffff;
#elif GEMP_RECORD == 8
	return t.y;
#elif GEMP_RECORD == 16
	return t.y + t.z + t.w;
#else
#if GEMP_RECORD == 64
	uint8 eight = t.lo + t.hi;
#else
	uint8 eight = t;
#endif
	uint4 four = eight.lo + eight.hi;
	return four.x + four.y + four.z + four.w - t.s0;
#endif
}

/* Finds the begin of each range in ordered tuples; begin[] is 0 before. */
__kernel void shuffle_bounds(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                             uint count, uint slab, __global uint *begin)
{
	uint from = (uint)get_group_id(0) * slab, end = primitive_end(from, slab, count);
	for (uint i = from + (uint)get_local_id(0); i < end; i += SHUFFLE_ITEMS) {
		uint range = shuffle_range(shuffle_destination(destinations, tuples, i));
		uint before = i ? shuffle_range(shuffle_destination(destinations, tuples, i - 1)) : 0;
		for (uint r = before + 1; r <= range; r++)
			begin[r] = i;
		for (uint r = range + 1; r <= SHUFFLE_RANGES && i + 1 == count; r++)
			begin[r] = count;
	}
}

/* Writes the destination and the number of each tuple. After these have been ordered, shuffle_by_number moves the
 * tuples. */
__kernel void shuffle_number(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                             uint count, uint slab, __global uint *restrict column, __global uint *restrict numbers)
{
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count);
	for (uint i = begin + (uint)get_local_id(0); i < end; i += SHUFFLE_ITEMS) {
		column[i] = shuffle_destination(destinations, tuples, i);
		numbers[i] = i;
	}
}

__kernel void shuffle_by_number(__global const shuffle_tuple *restrict tuples, __global shuffle_tuple *restrict out,
                                __global const uint *restrict numbers, uint count, uint slab)
{
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count);
	for (uint i = begin + (uint)get_local_id(0); i < end; i += SHUFFLE_ITEMS)
		out[i] = tuples[numbers[i]];
}

#if SHUFFLE_SHIFT <= 13 /* the sums of a range fit into local memory */

static inline void shuffle_clear(volatile __local uint *sums)
{
	shuffle_barrier();
	for (uint k = (uint)get_local_id(0); k < SHUFFLE_OF_RANGE; k += SHUFFLE_ITEMS)
		sums[k] = SHUFFLE_IDENTITY;
	shuffle_barrier();
}

/* Adds the sums of a range to the result; other groups may have a part of the range. */
static inline void shuffle_leave(volatile __local uint *sums, uint range, volatile __global uint *all)
{
	shuffle_barrier();
	for (uint k = (uint)get_local_id(0); k < SHUFFLE_OF_RANGE; k += SHUFFLE_ITEMS)
		if (sums[k] != SHUFFLE_IDENTITY)
			shuffle_add_global(&all[(size_t)range << SHUFFLE_SHIFT | k], sums[k]);
}

/* DECODE: tuples are ordered by range. Groups process slabs of equal size, independent of the sizes of ranges. */

SHUFFLE_KERNEL void shuffle_gather(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                                   __global const uint *restrict begin, uint slab, volatile __global uint *all)
{
	volatile __local uint sums[SHUFFLE_OF_RANGE];
	uint count = begin[SHUFFLE_RANGES], from = (uint)get_group_id(0) * slab, range = 0, high = SHUFFLE_RANGES;
	if (from >= count)
		return;
	uint end = primitive_end(from, slab, count);
	while (high - range > 1) { /* finds the last range that begins at or before `from`; empty ranges come before it */
		uint middle = (range + high) / 2;
		if (begin[middle] <= from)
			range = middle;
		else
			high = middle;
	}
	while (from < end) {
		while (begin[range + 1] <= from) /* skips empty ranges */
			range++;
		uint until = min(end, begin[range + 1]);
		shuffle_clear(sums);
#pragma unroll 4
		for (uint i = from + (uint)get_local_id(0); i < until; i += SHUFFLE_ITEMS)
			shuffle_add(&sums[shuffle_place(shuffle_destination(destinations, tuples, i))], shuffle_value(tuples[i]));
		shuffle_leave(sums, range, all);
		from = until;
	}
}

/* ATOMIC */

__kernel void shuffle_atomic(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                             uint count, uint slab, volatile __global uint *all)
{
	uint begin = (uint)get_group_id(0) * slab, end = primitive_end(begin, slab, count);
#pragma unroll 4
	for (uint i = begin + (uint)get_local_id(0); i < end; i += SHUFFLE_ITEMS) {
		uint to = shuffle_destination(destinations, tuples, i) & (SHUFFLE_RANGES * SHUFFLE_OF_RANGE - 1);
		shuffle_add_global(&all[to], shuffle_value(tuples[i]));
	}
}

/* POLLING: the group of a range reads every tuple. */

SHUFFLE_KERNEL void shuffle_polling(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                                    uint count, volatile __global uint *all)
{
	volatile __local uint sums[SHUFFLE_OF_RANGE];
	uint range = (uint)get_group_id(0);
	shuffle_clear(sums);
	for (uint i = (uint)get_local_id(0); i < count; i += SHUFFLE_ITEMS) {
		uint to = shuffle_destination(destinations, tuples, i);
		if (shuffle_range(to) == range)
			shuffle_add(&sums[shuffle_place(to)], shuffle_value(tuples[i]));
	}
	shuffle_leave(sums, range, all);
}

/* CONVERGE: the group of a range reads every tuple and appends the numbers of the range's tuples to a buffer. The
 * buffer is processed before it can overflow. */

#define SHUFFLE_ROUND (SHUFFLE_ITEMS * 4u)
#define SHUFFLE_WANTED (SHUFFLE_ROUND + 1024u)

SHUFFLE_KERNEL void shuffle_converge(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                                     uint count, volatile __global uint *all)
{
	volatile __local uint sums[SHUFFLE_OF_RANGE];
	__local uint wanted[SHUFFLE_WANTED];
	__local uint wants;
	uint range = (uint)get_group_id(0), lid = (uint)get_local_id(0);
	if (lid == 0)
		wants = 0;
	shuffle_clear(sums);
	for (uint round = 0; round < count; round = primitive_end(round, SHUFFLE_ROUND, count)) {
		uint end = primitive_end(round, SHUFFLE_ROUND, count);
		for (uint i = round + lid; i < end; i += SHUFFLE_ITEMS)
			if (shuffle_range(shuffle_destination(destinations, tuples, i)) == range) {
#ifdef GEMP_GROUP
				wanted[atomic_inc(&wants)] = i;
#else
				wanted[wants++] = i;
#endif
			}
		shuffle_barrier();
		uint there = wants;
		bool full = there > SHUFFLE_WANTED - SHUFFLE_ROUND || end == count;
		shuffle_barrier();
		for (uint k = lid; full && k < there; k += SHUFFLE_ITEMS) {
			uint i = wanted[k];
			shuffle_add(&sums[shuffle_place(shuffle_destination(destinations, tuples, i))], shuffle_value(tuples[i]));
		}
		if (full && lid == 0)
			wants = 0;
		shuffle_barrier(); /* executed in every round: PoCL 3.1 miscompiles a `continue` past a barrier */
	}
	shuffle_leave(sums, range, all);
}

/* TABLES, for CPUs: the work-item of a range compares eight destinations at a time. The result is a mask of the range's
 * tuples, and the table positions[mask] has their positions, one byte for each. */
#ifndef GEMP_GROUP
__kernel void shuffle_tables(__global const uint *restrict destinations, __global const shuffle_tuple *restrict tuples,
                             uint count, volatile __global uint *all, __constant const ulong *positions)
{
	volatile __local uint sums[SHUFFLE_OF_RANGE];
	uint range = (uint)get_group_id(0), i = 0;
	shuffle_clear(sums);
	for (; i + 8 <= count; i += 8) {
		uint mask = 0;
#pragma unroll
		for (uint k = 0; k < 8; k++)
			mask |= (uint)(shuffle_range(shuffle_destination(destinations, tuples, i + k)) == range) << k;
		ulong places = positions[mask];
		for (uint wanted = popcount(mask); wanted; wanted--, places >>= 8) {
			uint j = i + (uint)(places & 7);
			shuffle_add(&sums[shuffle_place(shuffle_destination(destinations, tuples, j))], shuffle_value(tuples[j]));
		}
	}
	for (; i < count; i++) {
		uint to = shuffle_destination(destinations, tuples, i);
		if (shuffle_range(to) == range)
			shuffle_add(&sums[shuffle_place(to)], shuffle_value(tuples[i]));
	}
	shuffle_leave(sums, range, all);
}
#endif
#endif
