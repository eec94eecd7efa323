/* count_neighbours_lists: sums over pairs of neighbours of a vertex on CPU devices (src/count/neighbours.c).
 *
 * The common neighbours of the ends of each entry are listed, as slots and as places in the row of the entry's far end.
 * Persistent work-items, one a core, each with its own words a vertex.
 */
#include "count.clh"

/* Lists of entry e: slots[offset[e] .. offset[e + 1]) ascending, and at the same places where they stand in the row of near[e].
 * scratch: AROUND_ARRAYS words a vertex for each
 * worker, 0 before the first launch; marks are numbers of vertices from 1 on. */
#define AROUND_ARRAYS 4
__kernel void around_lists(__global const OFFSET *begin, __global const uint *near, __global const uint *support,
                           uint vertices, __global const ulong *offset, __global uint *slots, __global uint *places,
                           __global uint *scratch, __global uint *control)
{
	__global uint *mark = scratch + get_global_id(0) * (ulong)vertices * AROUND_ARRAYS;
	for (;;) {
		ulong first = count_next_chunk(control, 0, 1), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint v = (uint)first; v < end; v++) {
			for (OFFSET i = begin[v]; i < begin[v + 1]; i++)
				mark[near[i]] = v + 1;
			for (OFFSET e = begin[v]; e < begin[v + 1]; e++) {
				ulong to = offset[e];
				uint u = near[e];
				OFFSET row = begin[u], row_end = support[e] ? begin[u + 1] : row;
				for (OFFSET k = row; k < row_end; k++) {
					uint y = near[k];
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

/* First place in [low, high) whose slot is greater than x. */
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

/* Values whose sum over a row may pass 64 bits go to the total one by one. */
#ifdef AROUND_SMALL
#define AROUND_ADD(sum, value) sum += (value);
#else
#define AROUND_ADD(sum, value) count_add(&total, AROUND_TIMES * (value));
#endif

/* Where vertex 1 and a common neighbour can change places and the value is the same, one way is enough. */
#ifdef AROUND_BOTH
#define AROUND_FIRST after(slots, offset[e], offset[e + 1], slot_1)
#define AROUND_TIMES 2
#else
#define AROUND_FIRST offset[e]
#define AROUND_TIMES 1
#endif

#define AROUND_T support[count_lower(near, row_1, begin[slot_1 + 1], slot_2)]
#define AROUND_A (mark[slot_2] == slot_0 + 1)
#define AROUND_G codegree[slot_2]

/* A task is vertex 0; for each neighbour 1 of it, and each common neighbour of the two, its common neighbours with 1 that
 * have greater slots than 0 are the vertices 2 that it is adjacent to all three of. */
__kernel void around_sum(__global const OFFSET *begin, __global const uint *near, __global const uint *support, uint vertices,
                         uint rank, uint ranks, __global const ulong *offset, __global const uint *slots,
                         __global const uint *places, __global uint *scratch,
                         AROUND_TABLES __global uint *control, __global long *out)
{
	count_total total = { 0, 0 };
	__global uint *mark = scratch + get_global_id(0) * (ulong)vertices * AROUND_ARRAYS;
	__global uint *counter = mark + vertices, *touched = counter + vertices, *codegree = touched + vertices;
	(void)counter, (void)touched, (void)codegree;
	for (;;) {
		ulong first = count_next_chunk(control, rank, ranks), end = min(first + COUNT_CHUNK, (ulong)vertices);
		if (first >= vertices)
			break;
		for (uint slot_0 = (uint)first; slot_0 < end; slot_0++) {
			OFFSET row = begin[slot_0], row_end = begin[slot_0 + 1];
			for (OFFSET i = row; i < row_end; i++)
				mark[near[i]] = slot_0 + 1;
#ifdef AROUND_CODEGREES
			for (OFFSET i = row; i < row_end; i++)
				for (OFFSET k = begin[near[i] + 1]; k > begin[near[i]] && near[k - 1] > slot_0; k--)
					codegree[near[k - 1]]++;
#endif
			for (OFFSET e = row; e < row_end; e++) {
				uint slot_1 = near[e], found = 0;
				OFFSET row_1 = begin[slot_1];
				AROUND_OUTER
				for (ulong z = AROUND_FIRST; z < offset[e + 1]; z++) {
					ulong e_z = row_1 + places[z], list = offset[e_z];
#ifdef AROUND_LINEAR
					long sum = 0;
					for (ulong at = offset[e_z + 1]; at > list && slots[at - 1] > slot_0; at--) {
						const uint slot_2 = slots[at - 1];
						const long c = 1;
						AROUND_INNER
						AROUND_ADD(sum, AROUND_VALUE)
						AROUND_CHECK
						(void)c, (void)slot_2;
					}
					count_add(&total, AROUND_TIMES * sum);
#else
					for (ulong at = offset[e_z + 1]; at > list && slots[at - 1] > slot_0; at--) {
						uint slot_2 = slots[at - 1];
						if (counter[slot_2]++ == 0)
							touched[found++] = slot_2;
					}
#endif
				}
#ifndef AROUND_LINEAR
				for (uint i = 0; i < found; i++) {
					uint slot_2 = touched[i];
					long c = counter[slot_2];
					counter[slot_2] = 0;
					AROUND_INNER
					count_add(&total, AROUND_VALUE);
					AROUND_CHECK
				}
#endif
				count_fold(&total);
			}
#ifdef AROUND_CODEGREES
			for (OFFSET i = row; i < row_end; i++)
				for (OFFSET k = begin[near[i] + 1]; k > begin[near[i]] && near[k - 1] > slot_0; k--)
					codegree[near[k - 1]] = 0;
#endif
		}
	}
	count_leave(total, out, 0);
	count_queue_leave(control);
}
