/* count_support: low_support[e], the number of triangles on the edge at position e of the low rows. */
#include "count.clh"

#ifdef GEMP_GPU

__kernel void count_clear(__global uint *values, ulong count)
{
	for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
		values[i] = 0;
}

/* A worker takes one edge at a time. It searches the longer of two low rows for each slot of the shorter one, and adds
 * each triangle to its three edges. low_support is 0 before. */
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

/* mirror[e] becomes the entry of edge e in the row of the end with the smaller slot. */
__kernel void count_mirror(__global const OFFSET *row_offsets, __global const OFFSET *upper_offsets,
                           __global const uint *column_indices, __global const uint *low_indices,
                           __global const uint *low_source, ulong edges, __global OFFSET *mirror)
{
	for (ulong e = get_global_id(0); e < edges; e += get_global_size(0)) {
		uint v = low_indices[e];
		mirror[e] = count_lower(column_indices, upper_offsets[v], row_offsets[v + 1], low_source[e]);
	}
}

/* Copies low_support to both entries of each edge. */
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

/* A task is a vertex v. The worker marks the row of v, and walks the rows of v's neighbours with greater slots. No
 * number is written twice, on any rank. support is a null pointer if only low_support is needed. ordered_support counts
 * only the triangles whose third vertex comes after v, and may be a null pointer. A worker uses a byte per vertex of
 * its words in maps, 0 between launches. */
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
