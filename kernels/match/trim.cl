/* trim: copies rows without some of their entries (src/match/search/induced_rows.h). Three kernels count the entries
 * that stay, compute the positions of the new rows, and write the entries. A set of slots is a bitmap, the `set`-th of
 * `sets`, or TRIM_ANY. */
#include "group.clh"
#include "trim_abi.h"

#define is_in(set, v) ((set) == TRIM_ANY || sets[(ulong)(set) * words + ((v) >> 5)] >> ((v) & 31) & 1)
#define each_row(v) ulong v = gemp_worker(); v < vertices; v += gemp_workers()

/* count[v] becomes the number of entries that row v keeps. Rows are copied if their slot is in the set `rows`, and
 * entries stay if their slot is in the set `entries`. Chunk c has the rows [c * TRIM_CHUNK, (c + 1) * TRIM_CHUNK).
 * sums[2 c] becomes the number of entries that its rows keep, and sums[2 c + 1] the number of all entries of its copied
 * rows. */
__kernel void trim_count(__global const uint *begin, __global const uint *near, uint vertices,
                         __global const uint *sets, uint words, uint rows, uint entries, __global uint *count,
                         __global uint *sums)
{
	GEMP_GROUP_DECLARE
	for (each_row(v)) {
		uint first = begin[v], end = is_in(rows, (uint)v) ? begin[v + 1] : first, kept = 0;
		for (uint at = first; at < end; at += GEMP_LANES) {
			uint i = at + gemp_lane();
			kept += popcount(gemp_ballot(i < end && is_in(entries, near[i])));
		}
		if (gemp_lane() == 0) {
			count[v] = kept;
			if (first < end) {
				atomic_add(&sums[2 * (v / TRIM_CHUNK)], kept);
				atomic_add(&sums[2 * (v / TRIM_CHUNK) + 1], end - first);
			}
		}
	}
}

/* begin[0 .. vertices] has the counts of the rows, and 0 at the end. They become the positions of the rows. starts[c]
 * is the position of row c * TRIM_CHUNK. */
__kernel void trim_place(__global uint *begin, uint vertices, __global const uint *starts)
{
	GEMP_GROUP_DECLARE
	uint lane = gemp_lane();
	for (ulong c = gemp_worker(); c <= vertices / TRIM_CHUNK; c += gemp_workers()) {
		uint at = starts[c];
		ulong end = min((c + 1) * TRIM_CHUNK, (ulong)vertices + 1);
		for (ulong v = c * TRIM_CHUNK; v < end; v += GEMP_LANES) {
			uint mine = v + lane < end ? begin[v + lane] : 0, sum = mine;
			for (uint d = 1; d < GEMP_LANES; d *= 2) {
				uint other = gemp_shuffle(sum, (lane - d) % GEMP_LANES);
				sum += lane < d ? 0 : other;
			}
			if (v + lane < end)
				begin[v + lane] = at + sum - mine;
			at += gemp_shuffle(sum, GEMP_LANES - 1);
		}
	}
}

__kernel void trim_write(__global const uint *begin, __global const uint *near, uint vertices,
                         __global const uint *sets, uint words, uint entries, __global const uint *out_begin,
                         __global uint *out)
{
	GEMP_GROUP_DECLARE
	for (each_row(v)) {
		uint to = out_begin[v], first = begin[v], end = out_begin[v + 1] > to ? begin[v + 1] : first;
		for (uint at = first; at < end; at += GEMP_LANES) {
			uint i = at + gemp_lane(), slot = i < end ? near[i] : 0;
			int keeps = i < end && is_in(entries, slot);
			uint mask = gemp_ballot(keeps);
			if (keeps)
				out[to + popcount(mask & ((1u << gemp_lane()) - 1))] = slot;
			to += popcount(mask);
		}
	}
}
