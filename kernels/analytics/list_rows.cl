/* list_rows: makes the rows of a layout from lists of ids (src/analytics/layout/list_device.h). An arc becomes a key: the
 * local number of its target, and below it, in the low `bits` bits, the local number of its source. Sorted keys are the
 * rows by target, in which own sources precede ghosts. A stable sort by source then gives the rows by source.
 *
 * Options: LIST_WEIGHT=1, 2, 4 or 8: bytes of a weight; without it, arcs have no weights. */
#include "topology.clh"

#define each(type, i, count) type i = get_global_id(0); i < count; i += get_global_size(0)

#ifndef LIST_WEIGHT
#define LIST_WEIGHT 0
typedef uchar list_weight; /* no weight is read or written */
typedef uint list_source;
#else
typedef ulong list_source;
#if LIST_WEIGHT == 1
typedef uchar list_weight;
#elif LIST_WEIGHT == 2
typedef ushort list_weight;
#elif LIST_WEIGHT == 4
typedef uint list_weight;
#else
typedef ulong list_weight;
#endif
#endif

#define LIST_BLOCK 8 /* words of a block of the bitmap: GEMP_RANK_WORDS of src/core/bitset.h */

/* The local number of an id: its place among own vertices, or among the ghosts that are bits of ghosts[]. */
static inline uint list_local(uint id, uint first, uint own, __global const uint *numbers, __global const ulong *ghosts,
                              __global const ulong *before, __global const uint *ghost_local)
{
	if (id - first < own)
		return numbers[id - first];
	uint word = id / 64, block = word / LIST_BLOCK;
	uint rank = (uint)before[block];
	for (uint w = block * LIST_BLOCK; w < word; w++)
		rank += (uint)popcount(ghosts[w]);
	return ghost_local[rank + (uint)popcount(ghosts[word] & (((ulong)1 << id % 64) - 1))];
}

/* Lists the arcs of a list's rows from place `at` on. Loops that are dropped get the target `rows`, behind all rows. */
__kernel void list_keys(__global const topology_edge *begin, __global const uint *ids, uint rows, ulong edges,
                        uint first, __global const uint *numbers, __global const ulong *ghosts,
                        __global const ulong *before, __global const uint *ghost_local, uint bits, uint drop_loops,
                        uint at, __global ulong *keys, __global uint *entries, volatile __local uint *room)
{
	GEMP_GROUP_DECLARE
	volatile __local uint *rows_of = topology_room(room);
	for (topology_each_share(share, rows, edges)) {
		topology_share s = topology_take(GEMP_GROUP_PASS begin, rows, edges, share, rows_of);
		for (uint i = gemp_lane(); i < s.count; i += GEMP_LANES) {
			uint row = s.row + rows_of[i], id = ids[s.first + i], place = at + (uint)s.first + i;
			bool dropped = drop_loops && id == first + row;
			ulong target = dropped ? rows : numbers[row];
			keys[place] = target << bits |
			              (dropped ? 0 : list_local(id, first, rows, numbers, ghosts, before, ghost_local));
			if (LIST_WEIGHT)
				entries[place] = place;
		}
	}
}

/* Writes sorted arcs to the rows of own sources and of ghosts. If by_source, also lists them by source: sources[], and
 * targets[], the target, or with weights target << 32 | entry. */
__kernel void list_split(__global const ulong *keys, __global const uint *entries, uint count, uint bits,
                         __global const list_weight *weights, __global const uint *in_begin, __global uint *in_end,
                         __global list_weight *in_weight, __global const uint *ghost_begin, __global uint *ghost_end,
                         __global list_weight *ghost_weight, uint by_source, __global uint *sources,
                         __global list_source *targets)
{
	for (each(uint, i, count)) {
		uint row = (uint)(keys[i] >> bits), source = (uint)(keys[i] & (((ulong)1 << bits) - 1));
		uint begin = in_begin[row], own = in_begin[row + 1] - begin, offset = i - begin - ghost_begin[row];
		bool ghost = offset >= own;
		uint place = ghost ? ghost_begin[row] + offset - own : begin + offset;
		(ghost ? ghost_end : in_end)[place] = source;
#if LIST_WEIGHT
		(ghost ? ghost_weight : in_weight)[place] = weights[entries[i]];
#endif
		if (by_source) {
			sources[i] = source;
#if LIST_WEIGHT
			targets[i] = (ulong)row << 32 | entries[i];
#else
			targets[i] = row;
#endif
		}
	}
}

/* Separates the arcs by source into targets and weights. */
__kernel void list_out(__global const list_source *targets, uint count, __global const list_weight *weights,
                       __global uint *end, __global list_weight *weight)
{
#if LIST_WEIGHT
	for (each(uint, i, count)) {
		end[i] = (uint)(targets[i] >> 32);
		weight[i] = weights[(uint)targets[i]];
	}
#endif
}
