/* group_table: merges records by key in a hash table, and lists groups (src/primitive/group_table.h).
 *
 * Options:
 *   WORDS    numbers of 64 bits of a record: key, number of rows, values
 *   MAXIMA   bit i: word i of a group is the maximum of its records' words; otherwise it is their sum
 *
 * The table has open addressing, table[mask + 1][WORDS]. A slot whose key is 0 is free, and its other words are 0. A
 * key is written once, by a compare-and-swap, and all other words change by atomic operations whose identity is 0, so
 * no work-item waits for another one. A record that finds no slot within PROBES slots is listed in `left`. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#if MAXIMA
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#include "group_table_abi.h"
#include "mix.clh"
#include "primitive.clh"
#include "reserve.clh"

#ifndef GEMP_GROUP
#define PRIMITIVE_KERNEL __kernel
#endif

/* The numbers of this worker's first record and of its next ones; all lanes of a worker have the same. */
#define FIRST ((ulong)gemp_worker() * GEMP_LANES)
#define STRIDE ((ulong)gemp_workers() * GEMP_LANES)

enum { GROUP_NONE, GROUP_KNOWN, GROUP_NEW, GROUP_FULL };

static inline int group_add(volatile __global ulong *table, ulong mask, ulong probes, __global const ulong *record)
{
	const ulong key = record[GEMP_GROUP_KEY];
	ulong at = gemp_mix(key) & mask;
	for (ulong probe = 0; probe < probes; probe++, at = (at + 1) & mask) {
		volatile __global ulong *slot = table + at * WORDS;
		ulong first = slot[GEMP_GROUP_KEY], before = first;
		if (first == 0) {
			before = atom_cmpxchg(&slot[GEMP_GROUP_KEY], 0ul, key);
			first = before == 0 ? key : before;
		}
		if (first != key)
			continue;
		for (uint w = GEMP_GROUP_ROWS; w < WORDS; w++) {
#if MAXIMA
			if (MAXIMA >> w & 1) {
				atom_max(&slot[w], record[w]);
				continue;
			}
#endif
			atom_add(&slot[w], record[w]);
		}
		return before == 0 ? GROUP_NEW : GROUP_KNOWN;
	}
	return GROUP_FULL;
}

/* Adds `count` records, of which those with key 0 are left out, as the free slots of another table. */
PRIMITIVE_KERNEL void group_merge(ulong count, __global const ulong *records, ulong mask, ulong probes,
                                  volatile __global ulong *table, __global ulong *left, volatile __global uint *figures)
{
	GEMP_GROUP_DECLARE
	for (ulong base = FIRST; base < count; base += STRIDE) {
		const ulong i = base + gemp_lane();
		__global const ulong *record = records + i * WORDS;
		int state = GROUP_NONE;
		if (i < count && record[GEMP_GROUP_KEY])
			state = group_add(table, mask, probes, record);
		const uint at = gemp_reserve_place(GEMP_GROUP_PASS &figures[GEMP_GROUP_LISTED], state == GROUP_FULL);
		for (uint w = 0; state == GROUP_FULL && w < WORDS; w++)
			left[(ulong)at * WORDS + w] = record[w];
		gemp_reserve_place(GEMP_GROUP_PASS &figures[GEMP_GROUP_ADDED], state == GROUP_NEW);
	}
}

/* Appends to out[] the groups of `count` slots from `first` on that rank `rank` of `ranks` owns and that have at least
 * min_rows rows. */
PRIMITIVE_KERNEL void group_take(ulong first, ulong count, ulong min_rows, uint ranks, uint rank,
                                 __global const ulong *table, __global ulong *out, volatile __global uint *figures)
{
	GEMP_GROUP_DECLARE
	for (ulong base = FIRST; base < count; base += STRIDE) {
		const ulong i = base + gemp_lane();
		__global const ulong *slot = table + (first + i) * WORDS;
		const ulong key = i < count ? slot[GEMP_GROUP_KEY] : 0;
		const int takes = key && gemp_mix_owner(key, ranks) == rank && slot[GEMP_GROUP_ROWS] >= min_rows;
		const uint at = gemp_reserve_place(GEMP_GROUP_PASS &figures[GEMP_GROUP_LISTED], takes);
		for (uint w = 0; takes && w < WORDS; w++)
			out[(ulong)at * WORDS + w] = slot[w];
	}
}

/* Copies to the groups of table[count] the words of the groups with their keys in from[mask + 1]; groups that are not
 * there keep theirs. */
PRIMITIVE_KERNEL void group_copy(ulong count, __global ulong *table, ulong mask, __global const ulong *from)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
		const ulong key = table[i * WORDS + GEMP_GROUP_KEY];
		ulong at = gemp_mix(key) & mask, probes = 0;
		ulong found = key ? from[at * WORDS + GEMP_GROUP_KEY] : 0;
		while (found && found != key && probes++ < mask) {
			at = (at + 1) & mask;
			found = from[at * WORDS + GEMP_GROUP_KEY];
		}
		for (uint w = GEMP_GROUP_ROWS; found && found == key && w < WORDS; w++)
			table[i * WORDS + w] = from[at * WORDS + w];
	}
}

static inline uint group_bin(ulong x)
{
	const uint e = 63 - (uint)clz(x | 1);
	return x < 32 ? (uint)x : (e - 4) * 32 + (uint)(x >> (e - 5) & 31);
}

/* Counts the groups with low to high rows by the bin of their rows beyond low. */
PRIMITIVE_KERNEL void group_bins(ulong count, ulong low, ulong high, __global const ulong *table,
                                 volatile __global ulong *bins)
{
#ifdef GEMP_GROUP
	__local uint mine[GEMP_GROUP_BINS];
	for (uint b = (uint)get_local_id(0); b < GEMP_GROUP_BINS; b += GEMP_GROUP)
		mine[b] = 0;
	primitive_barrier();
#endif
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
		__global const ulong *slot = table + i * WORDS;
		const ulong rows = slot[GEMP_GROUP_ROWS];
		if (slot[GEMP_GROUP_KEY] == 0 || rows < low || rows > high)
			continue;
#ifdef GEMP_GROUP
		atomic_inc(&mine[group_bin(rows - low)]);
#else
		atom_inc(&bins[group_bin(rows - low)]);
#endif
	}
#ifdef GEMP_GROUP
	primitive_barrier();
	for (uint b = (uint)get_local_id(0); b < GEMP_GROUP_BINS; b += GEMP_GROUP)
		if (mine[b])
			atom_add(&bins[b], (ulong)mine[b]);
#endif
}
