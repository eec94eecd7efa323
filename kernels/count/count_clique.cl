/* count_clique: counts cliques of k >= 4 vertices. A task is a vertex v, the vertex of the clique with the greatest
 * slot. The d vertices of v's low row are numbered backwards, 0 .. d - 1, so a greater number means a smaller slot. Row
 * i of a d x d bitmap has bit j if the vertices i < j are adjacent. src/count/codegen.c defines:
 *
 *   COUNT_KERNEL     the name of the kernel
 *   COUNT_FOUND      adds the number of cliques that contain v and the adjacent vertices i < j to `found`; r0 and r1
 *                    are the bitmap rows of i and j, row i begins at bits + i * stride, and only words from
 *                    j / COUNT_BITS to `words` - 1 are read
 *   COUNT_KEPT       on a CPU, declares the arrays of words for intersections, large enough for the longest row
 *   COUNT_SPACE      __local or __global: the address space of the slots and bits of a group, d + d * stride words
 *   COUNT_ROOM       a pointer to the begin of these words
 *   COUNT_WORDS      on a GPU, the number of words of every bitmap row; if not defined, the words that d bits need
 *
 * Group g writes its sum to number `place` + g of out. */
#include "count.clh"

#ifdef GEMP_GPU

#ifndef COUNT_WORD
#define COUNT_WORD uint
#define COUNT_BITS 32
#define COUNT_LOWEST(x) (31 - clz((x) & -(x)))
#endif

#ifdef COUNT_WORDS
#define ROW_WORDS(d) COUNT_WORDS
#else
#define ROW_WORDS(d) (((d) + COUNT_BITS - 1) / COUNT_BITS)
#endif

/* A task is a vertex of list[first .. end), and a group takes one task at a time. The vertices of list have d >= k - 1;
 * those with the longest low rows come first. room is local memory. At the end of the kernel it has two longs for each
 * work-item. If COUNT_SPACE is __local, it has the slots and bits of a task before that; otherwise they lie in slab,
 * which has slab_words for each group. */
__kernel void COUNT_KERNEL(__global const OFFSET *low_offsets, __global const uint *low_indices,
                           __global const uint *list, uint first, uint end, uint rank, uint ranks, __global uint *slab,
                           ulong slab_words, __global uint *control, __global long *out, ulong place,
                           __local long *room)
{
	__local uint task;
	uint self = (uint)get_local_id(0), size = (uint)get_local_size(0);
	ulong found = 0;
	for (;;) {
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		if (self == 0)
			task = atomic_inc(&control[GEMP_COUNT_NEXT]);
		barrier(CLK_LOCAL_MEM_FENCE);
		ulong next = first + (ulong)task * ranks + rank;
		if (next >= end)
			break;
		uint v = list[next];
		OFFSET row = low_offsets[v];
		uint d = (uint)(low_offsets[v + 1] - row), words = ROW_WORDS(d), stride = words | 1;
		uint pairs = d * (d - 1) / 2;
		COUNT_SPACE uint *slot = COUNT_ROOM, *bits = slot + d;
		for (uint i = self; i < d; i += size)
			slot[i] = low_indices[row + (d - 1 - i)];
		for (uint i = self; i < d * stride; i += size)
			bits[i] = 0;
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		for (uint p = self; p < pairs; p += size) {
			uint i, j;
			count_pair(p, d, &i, &j);
			uint w = slot[i], x = slot[j];
			OFFSET low_end = low_offsets[w + 1], low = count_lower(low_indices, low_offsets[w], low_end, x);
			if (low < low_end && low_indices[low] == x)
				atomic_or(&bits[i * stride + j / COUNT_BITS], 1u << j % COUNT_BITS);
		}
		barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
		for (uint p = self; p < pairs; p += size) {
			uint i, j;
			count_pair(p, d, &i, &j);
			COUNT_SPACE const uint *r0 = bits + i * stride, *r1 = bits + j * stride;
			if (r0[j / COUNT_BITS] >> j % COUNT_BITS & 1) {
				COUNT_FOUND
			}
		}
	}
	if (self == 0)
		count_queue_leave(control);
	count_total total = { (uint)found, (long)(found >> 32) };
	count_leave(total, out + 2 * place, room);
}
#undef ROW_WORDS

#else

#ifndef COUNT_WORD
#define COUNT_WORD ulong
#define COUNT_BITS 64
#define COUNT_LOWEST(x) ((uint)popcount(((x) & -(x)) - 1))
#endif

/* A task is any of the `vertices` vertices; vertices with fewer than `least` = k - 1 lower neighbours are skipped. maps
 * has a uint per vertex for each worker, 0 between launches. slab has slab_words for each worker. */
__kernel void COUNT_KERNEL(__global const OFFSET *low_offsets, __global const uint *low_indices, uint vertices,
                           uint least, uint rank, uint ranks, __global uint *maps, __global ulong *slab,
                           ulong slab_words, __global uint *control, __global long *out, ulong place)
{
	__global uint *map = maps + get_global_id(0) * (ulong)vertices;
	__global ulong *bits = slab + get_global_id(0) * slab_words;
	ulong found = 0;
	COUNT_KEPT
	for (;;) {
		ulong first = count_next_chunk(control, rank, ranks), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint v = (uint)first; v < end; v++) {
			OFFSET row = low_offsets[v];
			uint d = (uint)(low_offsets[v + 1] - row), words = (d + COUNT_BITS - 1) / COUNT_BITS, stride = words;
			if (d < least)
				continue;
			for (uint i = 0; i < d; i++)
				map[low_indices[row + i]] = d - i;
			for (uint i = 0; i < d; i++) {
				__global ulong *own = bits + (d - 1 - i) * stride;
				uint u = low_indices[row + i];
				OFFSET low_end = low_offsets[u + 1];
				for (uint w = 0; w < words; w++)
					own[w] = 0;
				for (OFFSET low = low_offsets[u]; low < low_end; low++) {
					uint bit = map[low_indices[low]];
					if (bit--)
						own[bit / COUNT_BITS] |= 1ul << bit % COUNT_BITS;
				}
			}
			for (uint i = 0; i < d; i++)
				map[low_indices[row + i]] = 0;
			for (uint i = 0; i + 3 <= d; i++) {
				__global const ulong *r0 = bits + i * stride;
				for (uint w = i / COUNT_BITS; w < words; w++)
					for (ulong left = r0[w]; left; left &= left - 1) {
						uint j = w * COUNT_BITS + COUNT_LOWEST(left);
						__global const ulong *r1 = bits + j * stride;
						COUNT_FOUND
					}
			}
		}
	}
	count_queue_leave(control);
	count_total total = { (uint)found, (long)(found >> 32) };
	count_leave(total, out + 2 * place, 0);
}

#endif
