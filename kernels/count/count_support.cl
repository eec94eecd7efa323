/* count_support: triangles on each edge, low_support[e] at its place in the low rows. */
#include "count.clh"

#ifdef GEMP_GPU

__kernel void count_clear(__global uint *values, ulong count)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
		values[i] = 0;
}

/* A worker has an edge: the shorter of the two rows is searched in the longer, and each triangle is added to its three
 * edges. The counters are 0 before. */
__kernel void count_support(__global const OFFSET *low_offsets, __global const uint *low_indices,
                            __global const uint *low_source, ulong edges, __global uint *low_support)
{
	uint lane = (uint)get_local_id(0) % COUNT_LANES;
	ulong workers = get_global_size(0) / COUNT_LANES;
	for (ulong e = get_global_id(0) / COUNT_LANES; e < edges; e += workers) {
		uint v = low_source[e], u = low_indices[e], found = 0;
		OFFSET a = low_offsets[v], a_end = (OFFSET)e, b = low_offsets[u], b_end = low_offsets[u + 1];
		int swap = a_end - a > b_end - b;
		OFFSET i = swap ? b : a, i_end = swap ? b_end : a_end, j = swap ? a : b, j_end = swap ? a_end : b_end;
		if (j == j_end)
			continue;
		for (i += lane; i < i_end; i += COUNT_LANES) {
			uint x = low_indices[i];
			OFFSET at = count_lower(low_indices, j, j_end, x);
			if (at < j_end && low_indices[at] == x) {
				atomic_inc(&low_support[i]);
				atomic_inc(&low_support[at]);
				found++;
			}
		}
		if (found)
			atomic_add(&low_support[e], found);
	}
}

/* mirror[e]: the entry of edge e in the row of its end of smaller slot. */
__kernel void count_mirror(__global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                           __global const uint *column_indices, __global const uint *low_indices,
                           __global const uint *low_source, ulong edges, __global OFFSET *mirror)
{
	for (ulong e = get_global_id(0); e < edges; e += get_global_size(0)) {
		uint v = low_indices[e];
		mirror[e] = count_lower(column_indices, upper_offsets[v], row_offsets[v + 1], low_source[e]);
	}
}

/* The same numbers at both entries of each edge. */
__kernel void count_spread(__global const OFFSET *row_offsets, __global const OFFSET *low_offsets,
                           __global const uint *low_source, __global const OFFSET *mirror,
                           __global const uint *low_support, ulong edges, __global uint *support)
{
	for (ulong e = get_global_id(0); e < edges; e += get_global_size(0)) {
		uint v = low_source[e], triangles = low_support[e];
		support[row_offsets[v] + ((OFFSET)e - low_offsets[v])] = triangles;
		support[mirror[e]] = triangles;
	}
}

#else

/* A task is a vertex v: the worker marks its row, and walks the rows of its neighbours of greater slot. No number is
 * written twice, by any rank. support is 0 if only low_support is wanted. ordered_support counts only triangles whose
 * third vertex comes after v, and may be 0. maps has a byte a vertex for each worker, which is 0 between launches. */
__kernel void count_support(__global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                            __global const uint *column_indices, __global const OFFSET *low_offsets,
                            __global const uint *low_indices, uint vertices, uint rank, uint ranks,
                            __global uint *low_support, __global uint *support, __global uint *ordered_support,
                            __global uint *maps, __global uint *control)
{
	__global uchar *map = (__global uchar *)(maps + get_global_id(0) * (ulong)vertices);
	for (;;) {
		ulong first = count_next_chunk(control, rank, ranks), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint v = (uint)first; v < end; v++) {
			OFFSET row = row_offsets[v], up = upper_offsets[v], row_end = row_offsets[v + 1];
			if (up == row_end)
				continue;
			for (OFFSET i = row; i < row_end; i++)
				map[column_indices[i]] = 1;
			for (OFFSET i = up; i < row_end; i++) {
				uint x = column_indices[i], triangles = 0;
				OFFSET low = low_offsets[x], at = count_lower(low_indices, low, low_offsets[x + 1], v);
				OFFSET k, k_middle = row_offsets[x] + (at - low), k_end = row_offsets[x + 1];
				for (k = k_middle; k < k_end; k++)
					triangles += map[column_indices[k]];
				if (ordered_support)
					ordered_support[i] = triangles;
				for (k = row_offsets[x]; k < k_middle; k++)
					triangles += map[column_indices[k]];
				low_support[at] = triangles;
				if (support) {
					support[i] = triangles;
					support[row_offsets[x] + (at - low)] = triangles;
				}
			}
			for (OFFSET i = row; i < row_end; i++)
				map[column_indices[i]] = 0;
		}
	}
	count_queue_leave(control);
}

#endif
