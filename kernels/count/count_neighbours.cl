/* count_neighbours: sums over pairs of neighbours of a vertex (src/count/neighbours.c).
 *
 * An entry of row h is kept if its edge is in a triangle. The neighbours at kept entries are numbered along the row.
 * They are the rows and columns of the bitmap of h, which has a bit for each edge between two of them. The words of a
 * bitmap lie row by row on a CPU device. On a GPU they lie column by column, because the lanes of a worker read the
 * same column of adjacent rows. */
#include "count.clh"
#include "group.clh"

#define NONE 0xffffffffu

#ifdef GEMP_GPU
#define WORD(base, size, words, row, word) ((base) + (ulong)(word) * (size) + (row))
#else
#define WORD(base, size, words, row, word) ((base) + (ulong)(row) * (words) + (word))
#endif

/* A kernel, and not clEnqueueFillBuffer, so that its time is part of the kernel timings. */
__kernel void neighbours_clear(__global uint *words, ulong count)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
		words[i] = 0;
}

/* Returns the vertex whose row contains this entry. */
static inline uint row_of(__global const OFFSET *row_offsets, uint vertices, ulong entry)
{
	uint low = 0, high = vertices;
	while (high - low > 1) {
		uint middle = low + (high - low) / 2;
		if (row_offsets[middle] <= entry)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Numbers the kept entries of this rank's vertices. kept[h] becomes their number in row h; 0 for vertices of other
 * ranks. place[e] becomes the number of a kept entry, and NONE for all others. member[row_offsets[h] + number] becomes
 * the position of the kept entry within row h. */
__kernel void neighbours_select(__global const OFFSET *row_offsets, __global const uint *support, uint vertices,
                                uint rank, uint ranks, __global uint *kept, __global uint *place, __global uint *member)
{
	GEMP_GROUP_DECLARE
	uint lane = gemp_lane();
	for (uint h = gemp_worker(); h < vertices; h += gemp_workers()) {
		OFFSET first = row_offsets[h], end = row_offsets[h + 1];
		uint found = 0, mine = h % ranks == rank;
		for (OFFSET at = first; at < end; at += GEMP_LANES) {
			OFFSET e = at + lane;
			int keep = mine && e < end && support[e] >= 1;
			uint all = gemp_ballot(keep), number = found + popcount(all & ((1u << lane) - 1));
			if (e < end)
				place[e] = keep ? number : NONE;
			if (keep)
				member[first + number] = (uint)(e - first);
			found += popcount(all);
		}
		if (lane == 0)
			kept[h] = found;
	}
}

/* Fills the bitmap rows of the kept entries in [from, to). The common neighbours of h and of the neighbour at the entry
 * are found by searching the longer of the two rows for each slot of the shorter row. */
__kernel void neighbours_fill(__global const OFFSET *row_offsets, __global const uint *column_indices, uint vertices,
                              ulong from, ulong to, __global const uint *kept, __global const uint *place,
                              __global const ulong *base, __global uint *bits)
{
	uint lane = (uint)get_global_id(0) % FILL_LANES;
	ulong step = get_global_size(0) / FILL_LANES;
	for (ulong e = from + get_global_id(0) / FILL_LANES; e < to; e += step) {
		uint row = place[e];
		if (row == NONE)
			continue;
		uint h = row_of(row_offsets, vertices, e), i = column_indices[e], size = kept[h], words = (size + 31) / 32;
		OFFSET a = row_offsets[h], a_end = row_offsets[h + 1], b = row_offsets[i], b_end = row_offsets[i + 1];
		int swap = b_end - b < a_end - a;
		OFFSET k = swap ? b : a, k_end = swap ? b_end : a_end, in = swap ? a : b, in_end = swap ? a_end : b_end;
		for (k += lane; k < k_end; k += FILL_LANES) {
			uint x = column_indices[k];
			OFFSET at = count_lower(column_indices, in, in_end, x);
			if (at == in_end || column_indices[at] != x)
				continue;
			uint column = place[swap ? at : k];
			__global uint *word = &bits[WORD(base[h], size, words, row, column / 32)];
#if FILL_LANES > 1
			atomic_or(word, 1u << (column & 31));
#else
			*word |= 1u << (column & 31);
#endif
		}
	}
}

#ifdef NEIGHBOURS_CODEGREES
static inline ulong pair_of(ulong x, ulong y, ulong vertices)
{
	return x * (2 * vertices - x - 1) / 2 + (y - x - 1);
}

/* codegrees[pair_of(x, y)] becomes the number of common neighbours of x < y; all elements are 0 before. */
__kernel void neighbours_codegrees(__global const OFFSET *row_offsets, __global const uint *column_indices,
                                   uint vertices, ulong entries, __global uint *codegrees)
{
	uint lane = (uint)get_global_id(0) % FILL_LANES;
	ulong step = get_global_size(0) / FILL_LANES;
	for (ulong e = get_global_id(0) / FILL_LANES; e < entries; e += step) {
		uint x = row_of(row_offsets, vertices, e), m = column_indices[e];
		OFFSET end = row_offsets[m + 1];
		for (OFFSET k = count_lower(column_indices, row_offsets[m], end, x + 1) + lane; k < end; k += FILL_LANES)
			atomic_inc(&codegrees[pair_of(x, column_indices[k], vertices)]);
	}
}
#endif

#define NEIGHBOURS_T support[e_2]
#define NEIGHBOURS_A (bits[WORD(at, size, words, row, j / 32)] >> (j & 31) & 1)
#define NEIGHBOURS_G codegrees[pair_of(slot_0, slot_2, vertices)]

/* Sums over the pairs 0, 2 of kept neighbours of each vertex 1. A worker takes one entry 1 -> 0 at a time, and its
 * lanes visit the vertices 2 behind 0 in the row. */
__kernel void neighbours_sum(__global const OFFSET *row_offsets, __global const uint *column_indices,
                             __global const uint *support, uint vertices, ulong from, ulong to,
                             __global const uint *kept, __global const uint *place, __global const uint *member,
                             __global const ulong *base, __global const uint *bits,
                             NEIGHBOURS_TABLES
#ifdef NEIGHBOURS_CODEGREES
                                 __global const uint *codegrees,
#endif
                             __global uint *control, __global long *out, __local long *scratch)
{
	count_total total = { 0, 0 };
	uint lane = (uint)get_global_id(0) % SUM_LANES;
	ulong step = get_global_size(0) / SUM_LANES;
	for (ulong e = from + get_global_id(0) / SUM_LANES; e < to; e += step) {
		uint row = place[e];
		if (row == NONE)
			continue;
		uint slot_1 = row_of(row_offsets, vertices, e), slot_0 = column_indices[e], size = kept[slot_1],
			 words = (size + 31) / 32;
		ulong at = base[slot_1];
		OFFSET first = row_offsets[slot_1];
		NEIGHBOURS_OUTER
		for (uint j = row + 1 + lane; j < size; j += SUM_LANES) {
			uint common = 0;
			for (uint w = 0; w < words; w++)
				common += popcount(bits[WORD(at, size, words, row, w)] & bits[WORD(at, size, words, j, w)]);
			if (!common)
				continue;
			long c = common;
			OFFSET e_2 = first + member[first + j];
			uint slot_2 = column_indices[e_2];
			NEIGHBOURS_INNER(void) slot_2;
			count_add(&total, NEIGHBOURS_VALUE);
			NEIGHBOURS_CHECK
		}
		count_fold(&total);
	}
	count_leave(total, out, scratch);
}
