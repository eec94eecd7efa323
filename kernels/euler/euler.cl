/* euler: one circuit of all slots (src/euler/euler.h), on one device.
 *
 * Every SPACING slots one is a splitter, at a place that a hash tells, so that nobody reads which. The stretch from a
 * splitter to the next along the successors is its segment. Nodes of the union-find forest are the segments, and behind
 * them the circuits without a splitter (orphans).
 *
 * A walk that stores a label at each slot pays three times what the walk costs. So walkers write the slots themselves,
 * one behind the other, into chunks; all that is asked of each slot is then a read of memory in order: marking it
 * visited, its label, whether its successor changes, its place in the order. Labels are stored for a sample of the
 * slots, and after those have been united for the slots that are not in the component of nearly all others.
 *
 * Chunk c < splitters is the first one of segment c. Others are taken from pools, `room` a pool for the first walk and
 * behind them as many for the second, which goes along the segments that have changed. The last piece of a segment, if
 * it is not whole, stands at the right end of its place.
 */
#include "euler_abi.h"
#include "euler_slots.clh"

/* FILL AND PAIR */

/* starts: see there; a bit a word of mark: some, full; a bit a few of these: coarse. */
__kernel void euler_clear(__global uint *starts, __global uint *visited, __global uint *labelled, __global uint *mark,
                          __global uint *some, __global uint *full, uint words, __global uint *coarse,
                          __global uchar *changed, uint splitters, __global uint *sample, uint samples,
                          __global uint *counters, uint most)
{
	for (each(uint, i, most)) {
		if (i < words)
			starts[i] = visited[i] = labelled[i] = mark[i] = 0;
		if (i <= words / 32)
			some[i] = full[i] = 0;
		if (i < EULER_COARSE / 32)
			coarse[i] = 0;
		if (i < splitters)
			changed[i] = 0;
		if (i < samples)
			sample[i] = NONE;
		if (i < EULER_COUNTERS)
			counters[i] = 0;
	}
}

/* cursor: behind the slots of each vertex that no in-edge has got yet. They are dealt from the last one: edges that
 * were made together lie alike among in- and out-edges, and dealt in that order they would close many small circuits.
 * starts: a bit for the first slot of each row. */
__kernel void euler_fill(__global const uint *begin, __global uint *cursor, __global uint *starts, uint vertices)
{
	for (each(uint, v, vertices)) {
		uint first = begin[v], end = begin[v + 1];
		cursor[v] = end;
		if (first < end)
			set_bit(starts, first);
	}
}

__kernel void euler_pair(__global const uint *restrict target, __global uint *cursor, __global uint *restrict next,
                         uint edges)
{
	for (each(uint, e, edges))
		next[e] = atomic_dec(&cursor[target[e]]) - 1;
}

__kernel void euler_check(__global const uint *begin, __global const uint *cursor, uint vertices,
                          __global uint *counters)
{
	__local uint sum;
	uint count = 0;
	for (each(uint, v, vertices))
		count += cursor[v] != begin[v];
	add_up(count, &sum, &counters[EULER_UNBALANCED]);
}

/* WALK */

/* A further chunk for a segment: where pools take turns, the k-th of pool p is k * EULER_POOLS + p. */
static inline uint take_chunk(__global uint *counters, uint room, uint again, uint segment, uint place,
                              __global uint2 *owner)
{
	for (uint pool = get_group_id(0) % EULER_POOLS;; pool = (pool + 1) % EULER_POOLS) {
		uint k = atomic_inc(&counters[EULER_TAKEN + again * EULER_POOLS + pool]);
		if (k < room) {
			uint c = (again * room + k) * EULER_POOLS + pool;
			owner[c] = (uint2)(segment, place);
			return c;
		}
	}
}

/* The next changed segment of this work-item, from s on. */
static inline uint changed_from(__global const uchar *restrict changed, uint s, uint splitters)
{
	while (s < splitters && !changed[s])
		s += (uint)get_global_size(0);
	return s;
}

/* From each splitter to the next: chunks, and of each segment {length, the one that follows}. again: only along
 * segments that have changed. */
__kernel void euler_walk(__global const uint *restrict next, __global uint4 *restrict chunks, __global uint2 *owner,
                         __global uint2 *restrict segments, uint edges, uint splitters, uint seed,
                         __global uint *counters, uint room, __global const uchar *restrict changed, uint again)
{
	uint s = (uint)get_global_id(0);
	if (again)
		s = changed_from(changed, s, splitters);
	if (s >= splitters)
		return;
	uint e = splitter_at(s, edges, seed), length = 0, chunk = s;
	uint4 old = 0, young = 0;
	for (;;) {
		old = (uint4)(old.yzw, young.x);
		young = (uint4)(young.yzw, e);
		e = next[e];
		length++;
		int over = is_splitter(e, edges, seed);
		if (!(length % EULER_PIECE) || over) {
			ulong at = (ulong)chunk * (EULER_CHUNK / 4) + (length - 1) % EULER_CHUNK / EULER_PIECE * 2;
			chunks[at] = old;
			chunks[at + 1] = young;
		}
		if (over) {
			segments[s] = (uint2)(length, e >> EULER_SPACING_BITS);
			if (again)
				s = changed_from(changed, s + (uint)get_global_size(0), splitters);
			else
				s = atomic_inc(&counters[EULER_QUEUE]) + (uint)get_global_size(0);
			if (s >= splitters)
				return;
			e = splitter_at(s, edges, seed);
			length = 0;
			chunk = s;
		} else if (!(length % EULER_CHUNK)) {
			chunk = splitters + take_chunk(counters, room, again, s, length, owner);
		}
	}
}

/* CIRCUITS */

/* Pointer doubling: the least of a segment and of those up to list[].y, which is not among them. Their number
 * doubles. */

__kernel void euler_link(__global const uint2 *restrict segments, __global uint2 *restrict list, uint splitters,
                         __global uint *counters)
{
	__local uint sum;
	uint slots = 0;
	for (each(uint, s, splitters)) {
		uint2 segment = segments[s];
		list[s] = (uint2)(min(s, segment.y), segments[segment.y].y);
		slots += segment.x;
	}
	add_up(slots, &sum, &counters[EULER_ALONG]);
}

__kernel void euler_least(__global const uint2 *restrict from, __global uint2 *restrict to, uint splitters)
{
	for (each(uint, s, splitters)) {
		uint2 x = from[s], y = from[x.y];
		to[s] = (uint2)(min(x.x, y.x), y.y);
	}
}

__kernel void euler_circuits(__global const uint2 *restrict list, __global uint *restrict parent,
                             __global uint *restrict root, uint splitters, __global uint *counters)
{
	__local uint sum;
	uint count = 0;
	for (each(uint, s, splitters)) {
		uint least = list[s].x;
		parent[s] = root[s] = least;
		count += least == s;
	}
	add_up(count, &sum, &counters[EULER_CIRCUITS]);
}

/* ORPHANS */

/* visited: a bit a slot of all segments, if there are others. sample: the segment of each slot of the sample. */
__kernel void euler_visit(CHUNK_PARAMETERS, __global uint *visited, __global uint *restrict sample, uint edges,
                          __global const uint *counters)
{
	int all = counters[EULER_ALONG] == edges;
	for (each_quads(q)) {
		quad x[TOGETHER];
		read_quads(x, q, CHUNKS, counters);
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			if (x[i].segment == NONE)
				continue;
#pragma unroll
			for (uint k = 0; k < 4; k++) {
				uint slot = x[i].slot[k], block = slot / EULER_SAMPLED;
				if (k < x[i].first)
					continue;
				if (!all)
					set_bit(visited, slot);
				if (block % EULER_SAMPLE == 0)
					sample[block / EULER_SAMPLE * EULER_SAMPLED + slot % EULER_SAMPLED] = x[i].segment;
			}
		}
	}
}

/* The least slot of a circuit makes it a node, and labels its slots. */
static inline void try_orphan(uint e, __global const uint *restrict next, __global uint *restrict label,
                              __global uint *labelled, __global uint *parent, __global uint *root, uint splitters,
                              __global uint *counters)
{
	uint f = next[e];
	while (f > e)
		f = next[f];
	if (f < e)
		return;
	uint node = splitters + atomic_inc(&counters[EULER_ORPHANS]);
	parent[node] = root[node] = node;
	do {
		label[f] = node;
		set_bit(labelled, f);
		f = next[f];
	} while (f != e);
}

/* Of slots that nobody has visited. */
__kernel void euler_orphans(__global const uint *restrict next, __global const uint *restrict visited,
                            __global uint *restrict label, __global uint *labelled, __global uint *parent,
                            __global uint *root, uint edges, uint splitters, __global uint *counters)
{
	if (counters[EULER_ALONG] == edges)
		return;
	for (each_byte(b))
		for (each_bit(bit, ~byte_of(visited, b) & inside(b, edges)))
			try_orphan(b * 8 + bit, next, label, labelled, parent, root, splitters, counters);
}

#include "euler_join.clh"

/* RANK: slots from the beginning of a segment to the end of the list, which ends where segment 0 would follow. */

__kernel void euler_list(__global const uint2 *restrict segments, __global uint2 *restrict list, uint splitters)
{
	for (each(uint, s, splitters)) {
		uint2 segment = segments[s];
		list[s] = (uint2)(segment.x, segment.y == 0 ? NONE : segment.y);
	}
}

__kernel void euler_double(__global const uint2 *restrict from, __global uint2 *restrict to, uint splitters)
{
	for (each(uint, s, splitters)) {
		uint2 x = from[s];
		if (x.y != NONE) {
			uint2 y = from[x.y];
			x = (uint2)(x.x + y.x, y.y);
		}
		to[s] = x;
	}
}

/* EMIT: what the second walk has not gone along again stands where the first has left it. */

__kernel void euler_emit(CHUNK_PARAMETERS, __global const uchar *restrict changed, __global const uint2 *restrict list,
                         __global uint *restrict order, uint edges, uint closing, __global uint *counters)
{
	for (each_quads(q)) {
		quad x[TOGETHER];
		uint place[TOGETHER]; /* of slot[0], if it was there; segment NONE: walked along again */
		read_quads(x, q, CHUNKS, counters);
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			uint c = (uint)((q + i * (ulong)get_global_size(0)) / QUADS);
			if (x[i].segment != NONE && is_older(c, splitters, room) && changed[x[i].segment])
				x[i].segment = NONE;
			place[i] = x[i].segment == NONE ? 0 : edges - list[x[i].segment].x + x[i].base;
		}
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			if (x[i].segment == NONE)
				continue;
#pragma unroll
			for (uint k = 0; k < 4; k++) {
				if (k < x[i].first)
					continue;
				order[place[i] + k] = x[i].slot[k];
				if (x[i].slot[k] == closing)
					counters[EULER_CUT] = place[i] + k;
			}
		}
	}
}

/* Where the edge at each place begins: where the one before it ends. */
__kernel void euler_sources(__global const uint *restrict target, __global const uint *restrict order,
                            __global uint *restrict source, uint edges)
{
	for (each(uint, i, edges))
		source[i] = target[order[i ? i - 1 : edges - 1]];
}
