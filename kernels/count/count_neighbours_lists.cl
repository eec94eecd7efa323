/* count_neighbours_lists: sums over pairs of neighbours of a vertex, on CPU devices (src/count/neighbours.c).
 *
 * For each entry, a list has the common neighbours of the entry's two ends. Each core runs one work-item, the worker,
 * with scratch words for each vertex. */
#include "count.clh"

/* Makes the lists. Entry e of row v leads to u = column_indices[e]. slots[offset[e] .. offset[e + 1]) become the common
 * neighbours of u and v, ascending, and the same elements of places become their positions within row u. scratch has
 * NEIGHBOURS_ARRAYS words per vertex for each worker, 0 before the first launch. mark[y] is v + 1 if y is a neighbour
 * of v. */
#define NEIGHBOURS_ARRAYS 4
__kernel void neighbours_lists(__global const OFFSET *row_offsets, __global const uint *column_indices,
                               __global const uint *support, uint vertices, __global const ulong *offset,
                               __global uint *slots, __global uint *places, __global uint *scratch,
                               __global uint *control)
{
	__global uint *mark = scratch + get_global_id(0) * (ulong)vertices * NEIGHBOURS_ARRAYS;
	for (;;) {
		ulong first = count_next_chunk(control, 0, 1), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint v = (uint)first; v < end; v++) {
			for (OFFSET i = row_offsets[v]; i < row_offsets[v + 1]; i++)
				mark[column_indices[i]] = v + 1;
			for (OFFSET e = row_offsets[v]; e < row_offsets[v + 1]; e++) {
				ulong to = offset[e];
				uint u = column_indices[e];
				OFFSET row = row_offsets[u], row_end = support[e] ? row_offsets[u + 1] : row;
				for (OFFSET k = row; k < row_end; k++) {
					uint y = column_indices[k];
					if (mark[y] == v + 1) {
						slots[to] = y;
						places[to++] = (uint)(k - row);
					}
				}
			}
		}
	}
	count_queue_leave(control);
}

/* Returns the first position in [low, high) whose slot is greater than x, or high if there is none. */
static inline ulong after(__global const uint *slots, ulong low, ulong high, uint x)
{
	while (low < high) {
		ulong middle = low + (high - low) / 2;
		if (slots[middle] <= x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* With NEIGHBOURS_SMALL the sum over one list fits into 64 bits. Otherwise each value is added to `total` at once. */
#ifdef NEIGHBOURS_SMALL
#define NEIGHBOURS_ADD(sum, value) sum += (value);
#else
#define NEIGHBOURS_ADD(sum, value) count_add(&total, NEIGHBOURS_TIMES *(value));
#endif

/* With NEIGHBOURS_BOTH the value does not change when vertex 1 and the common neighbour z change places. Only z > 1 is
 * visited, and the value counts twice. */
#ifdef NEIGHBOURS_BOTH
#define NEIGHBOURS_FIRST after(slots, offset[e], offset[e + 1], slot_1)
#define NEIGHBOURS_TIMES 2
#else
#define NEIGHBOURS_FIRST offset[e]
#define NEIGHBOURS_TIMES 1
#endif

#define NEIGHBOURS_T support[count_lower(column_indices, row_1, row_offsets[slot_1 + 1], slot_2)]
#define NEIGHBOURS_A (mark[slot_2] == slot_0 + 1)
#define NEIGHBOURS_G codegree[slot_2]

/* A task is a vertex 0. For each neighbour 1 of vertex 0 and each common neighbour z of 0 and 1, the vertices 2 are the
 * common neighbours of 1 and z with slots greater than that of vertex 0. The counter of vertex 2 becomes the number of
 * such z. */
__kernel void neighbours_sum(__global const OFFSET *row_offsets, __global const uint *column_indices,
                             __global const uint *support, uint vertices, uint rank, uint ranks,
                             __global const ulong *offset, __global const uint *slots, __global const uint *places,
                             __global uint *scratch, NEIGHBOURS_TABLES __global uint *control, __global long *out)
{
	count_total total = { 0, 0 };
	__global uint *mark = scratch + get_global_id(0) * (ulong)vertices * NEIGHBOURS_ARRAYS;
	__global uint *counter = mark + vertices, *touched = counter + vertices, *codegree = touched + vertices;
	(void)counter, (void)touched, (void)codegree;
	for (;;) {
		ulong first = count_next_chunk(control, rank, ranks), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint slot_0 = (uint)first; slot_0 < end; slot_0++) {
			OFFSET row = row_offsets[slot_0], row_end = row_offsets[slot_0 + 1];
			for (OFFSET i = row; i < row_end; i++)
				mark[column_indices[i]] = slot_0 + 1;
#ifdef NEIGHBOURS_CODEGREES
			for (OFFSET i = row; i < row_end; i++)
				for (OFFSET k = row_offsets[column_indices[i] + 1];
				     k > row_offsets[column_indices[i]] && column_indices[k - 1] > slot_0; k--)
					codegree[column_indices[k - 1]]++;
#endif
			for (OFFSET e = row; e < row_end; e++) {
				uint slot_1 = column_indices[e], found = 0;
				OFFSET row_1 = row_offsets[slot_1];
				NEIGHBOURS_OUTER
				for (ulong z = NEIGHBOURS_FIRST; z < offset[e + 1]; z++) {
					ulong e_z = row_1 + places[z], list = offset[e_z];
#ifdef NEIGHBOURS_LINEAR
					long sum = 0;
					for (ulong at = offset[e_z + 1]; at > list && slots[at - 1] > slot_0; at--) {
						const uint slot_2 = slots[at - 1];
						const long c = 1;
						NEIGHBOURS_INNER
						NEIGHBOURS_ADD(sum, NEIGHBOURS_VALUE)
						NEIGHBOURS_CHECK(void) c, (void)slot_2;
					}
					count_add(&total, NEIGHBOURS_TIMES * sum);
#else
					for (ulong at = offset[e_z + 1]; at > list && slots[at - 1] > slot_0; at--) {
						uint slot_2 = slots[at - 1];
						if (counter[slot_2]++ == 0)
							touched[found++] = slot_2;
					}
#endif
				}
#ifndef NEIGHBOURS_LINEAR
				for (uint i = 0; i < found; i++) {
					uint slot_2 = touched[i];
					long c = counter[slot_2];
					counter[slot_2] = 0;
					NEIGHBOURS_INNER
					count_add(&total, NEIGHBOURS_VALUE);
					NEIGHBOURS_CHECK
				}
#endif
				count_fold(&total);
			}
#ifdef NEIGHBOURS_CODEGREES
			for (OFFSET i = row; i < row_end; i++)
				for (OFFSET k = row_offsets[column_indices[i] + 1];
				     k > row_offsets[column_indices[i]] && column_indices[k - 1] > slot_0; k--)
					codegree[column_indices[k - 1]] = 0;
#endif
		}
	}
	count_leave(total, out, 0);
	count_queue_leave(control);
}
