/* count_wedges_tasks: prepares grouped wedge counting. The kernels find the part of each middle's row behind the root
 * and the number of paths of each root, and list the roots by descending number of paths. The host puts the macros that
 * src/count/codegen.h lists in front of this file. */

#include "count_wedges.clh"

/* entries that a group takes at a time */
#define CHUNK 1024u
/* roots that a work-item takes at a time */
#define ITEMS 4u
#define BUCKETS 512u

/* Returns the row, from low to high, that contains `entry`. */
static inline uint row_of(__global const OFFSET *row_offsets, uint low, uint high, ulong entry)
{
	while (low < high) {
		uint middle = low + (high - low + 1) / 2;
		if (row_offsets[middle] <= entry)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* For each entry from a root of this rank to a middle, rows[entry] becomes the part of the middle's row behind the
 * root. paths[root] becomes the number of the root's paths; paths is 0 before. */
__kernel void wedges_rows(__global const OFFSET *restrict row_offsets, __global const uint *restrict column_indices,
                          uint first, uint step, uint ends, ulong entries, __global ROW *restrict rows,
                          __global PATHS *restrict paths)
{
	for (ulong chunk = (ulong)get_group_id(0) * CHUNK; chunk < entries; chunk += (ulong)get_num_groups(0) * CHUNK) {
		ulong behind = min(chunk + CHUNK, entries);
		uint low = row_of(row_offsets, 0, ends - 1, chunk), high = row_of(row_offsets, low, ends - 1, behind - 1);
		for (ulong entry = chunk + get_local_id(0); entry < behind; entry += get_local_size(0)) {
			uint root = row_of(row_offsets, low, high, entry), x = column_indices[entry];
			if (root % step != first || !IS_MIDDLE(root, x))
				continue;
			OFFSET end = row_offsets[x + 1], at = first_not_below(column_indices, row_offsets[x], end, root) + 1;
			rows[entry] = (ROW)(at, end);
			if (at < end)
				ADD_PATHS(&paths[root], end - at);
		}
	}
}

/* A bucket for each number below 16; above, 8 buckets for each power of 2. */
static inline uint bucket_of(ulong paths)
{
	uint log = 63 - (uint)clz(paths | 1);
	return paths < 16 ? (uint)paths : 16 + (log - 4) * 8 + (uint)(paths >> (log - 3) & 7);
}

static inline void zero_buckets(__local uint *count)
{
	for (uint b = (uint)get_local_id(0); b < BUCKETS; b += (uint)get_local_size(0))
		count[b] = 0;
	GROUP_SYNC;
}

/* Adds the number of roots in each bucket to sizes. The roots are first, first + step, ..., `roots` of them. */
__kernel void wedges_classes(__global const PATHS *restrict paths, uint first, uint step, uint roots,
                             __global uint *sizes)
{
	__local uint count[BUCKETS];
	zero_buckets(count);
	for (uint i = (uint)get_global_id(0); i < roots; i += (uint)get_global_size(0))
		atomic_inc(&count[bucket_of(paths[first + i * step])]);
	GROUP_SYNC;
	for (uint b = (uint)get_local_id(0); b < BUCKETS; b += (uint)get_local_size(0))
		if (count[b])
			atomic_add(&sizes[b], count[b]);
}

/* Lists the roots by bucket. place[b] is the next free position of bucket b in the list. */
__kernel void wedges_list(__global const PATHS *restrict paths, uint first, uint step, uint roots, __global uint *place,
                          __global uint *restrict list)
{
	__local uint count[BUCKETS], from[BUCKETS];
	uint tile = (uint)get_local_size(0) * ITEMS;
	for (uint t = (uint)get_group_id(0) * tile; t < roots; t += (uint)get_num_groups(0) * tile) {
		uint bucket[ITEMS], rank[ITEMS];
		zero_buckets(count);
		for (uint i = 0; i < ITEMS; i++) {
			uint task = t + i * (uint)get_local_size(0) + (uint)get_local_id(0);
			if (task >= roots)
				continue;
			bucket[i] = bucket_of(paths[first + task * step]);
			rank[i] = atomic_inc(&count[bucket[i]]);
		}
		GROUP_SYNC;
		for (uint b = (uint)get_local_id(0); b < BUCKETS; b += (uint)get_local_size(0))
			from[b] = count[b] ? atomic_add(&place[b], count[b]) : 0;
		GROUP_SYNC;
		for (uint i = 0; i < ITEMS; i++) {
			uint task = t + i * (uint)get_local_size(0) + (uint)get_local_id(0);
			if (task < roots)
				list[from[bucket[i]] + rank[i]] = first + task * step;
		}
		GROUP_SYNC;
	}
}
