/* count_sum: a sum over vertices, edges or triangles. src/count/codegen.c defines:
 *
 *   COUNT_KERNEL     the name of the kernel
 *   COUNT_VERTICES, COUNT_EDGES or COUNT_TRIANGLES
 *   COUNT_TABLES     the parameters for vertex tables, each followed by a comma
 *   COUNT_SYMBOLS    declares the symbols of the expression, computed from slot_0, slot_1, slot_2 and the positions of
 *                    the edges in the low rows, at_01, at_02, at_12
 *   COUNT_VALUE      the expression; if not defined, each visit counts 1
 *   COUNT_MAGNITUDE  the expression over magnitudes, as a double; not defined if every value fits into a long
 *
 * `tasks` is the number of vertices or edges; for triangles on a CPU device, it is the number of vertices, each taken
 * as vertex 2. There, maps has a uint per vertex for each worker, 0 between launches. Group g writes its sum to number
 * `place` + g of out. */
#include "count.clh"

#ifdef COUNT_MAGNITUDE
#define COUNT_CHECKED count_check(COUNT_MAGNITUDE, control);
#else
#define COUNT_CHECKED
#endif

#ifdef COUNT_VALUE
#define COUNT_ONE                       \
	{                                   \
		COUNT_SYMBOLS                   \
		COUNT_CHECKED                   \
		count_add(&total, COUNT_VALUE); \
	}
#else
#define COUNT_ONE found++;
#endif

__kernel void COUNT_KERNEL(COUNT_TABLES __global const OFFSET *low_offsets, __global const uint *low_indices,
                           __global const uint *low_source, __global const uint *low_support, ulong tasks, uint rank,
                           uint ranks, uint vertices, __global uint *maps, __global uint *control, __global long *out,
                           ulong place, __local long *scratch)
{
	count_total total = { 0, 0 };
	ulong found = 0;
#if defined COUNT_TRIANGLES && !defined GEMP_GPU
	__global uint *map = maps + get_global_id(0) * (ulong)vertices;
	for (;;) {
		ulong first = count_next_chunk(control, rank, ranks), end = min(first + COUNT_CHUNK, tasks);
		if (first >= tasks)
			break;
		for (uint slot_2 = (uint)first; slot_2 < end; slot_2++) {
			OFFSET row = low_offsets[slot_2], row_end = low_offsets[slot_2 + 1];
			if (row_end - row < 2)
				continue;
			for (OFFSET i = row; i < row_end; i++)
				map[low_indices[i]] = (uint)(i - row) + 1;
			for (OFFSET at_12 = row + 1; at_12 < row_end; at_12++) {
				uint slot_1 = low_indices[at_12];
				OFFSET at_01 = low_offsets[slot_1], end_1 = low_offsets[slot_1 + 1];
				for (; at_01 < end_1; at_01++) {
					uint slot_0 = low_indices[at_01], mark = map[slot_0];
#ifdef COUNT_VALUE
					if (mark) {
						OFFSET at_02 = row + mark - 1;
						COUNT_ONE
					}
#else
					found += mark != 0;
#endif
				}
			}
			for (OFFSET i = row; i < row_end; i++)
				map[low_indices[i]] = 0;
		}
		count_fold(&total);
	}
	count_queue_leave(control);
#elif defined COUNT_TRIANGLES
	uint lane = (uint)get_local_id(0) % COUNT_LANES;
	ulong workers = get_global_size(0) / COUNT_LANES;
	for (ulong i = get_global_id(0) / COUNT_LANES;; i += workers) {
		ulong at_12 = count_share(i, rank, ranks);
		if (at_12 >= tasks)
			break;
		uint slot_2 = low_source[at_12], slot_1 = low_indices[at_12];
		OFFSET a = low_offsets[slot_2], a_end = (OFFSET)at_12, b = low_offsets[slot_1], b_end = low_offsets[slot_1 + 1];
		int swap = a_end - a > b_end - b;
		OFFSET p = swap ? b : a, p_end = swap ? b_end : a_end, q = swap ? a : b, q_end = swap ? a_end : b_end;
		if (q == q_end)
			continue;
		for (p += lane; p < p_end; p += COUNT_LANES) {
			uint slot_0 = low_indices[p];
			OFFSET at = count_lower(low_indices, q, q_end, slot_0);
			if (at < q_end && low_indices[at] == slot_0) {
				OFFSET at_01 = swap ? p : at, at_02 = swap ? at : p;
				COUNT_ONE
			}
		}
	}
#else
	for (ulong i = COUNT_FIRST;; i = COUNT_AFTER(i)) {
		ulong task = count_share(i, rank, ranks);
		if (task >= tasks)
			break;
#ifdef COUNT_EDGES
		uint slot_0 = low_indices[task], slot_1 = low_source[task];
		ulong at_01 = task;
#else
		uint slot_0 = (uint)task;
#endif
		COUNT_ONE
	}
#endif
	count_fold(&total);
	count_add(&total, (long)(uint)found);
	total.high += (long)(found >> 32);
	count_leave(total, out + 2 * place, scratch);
}

#undef COUNT_CHECKED
#undef COUNT_ONE
