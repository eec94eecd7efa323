/* euler: joins all slots to one circuit on one device (Awerbuch, Israeli and Shiloach 1984). A slot is an edge in the
 * rows of out-edges (src/euler/euler.h).
 *
 * One of every SPACING slots is a splitter. A hash gives its place, so no table of splitters is read. A segment
 * consists of the slots from a splitter to the next splitter along the successors. The nodes of the union-find forest
 * are the segments, followed by the orphans, which are the circuits without a splitter.
 *
 * On an H200 a walk that stores a label at each slot takes three times as long as the walk alone. So walkers append the
 * slots to chunks, and the later steps read the chunks in order: to mark slots visited, to store labels, to find slots
 * whose successor changes, and to write the order. Labels are stored in two steps: first for a sample of the slots,
 * and, after the sample has been united, for the slots outside the giant component.
 *
 * Chunk c < splitters is the first chunk of segment c. Further chunks come from pools. Each pool has `room` chunks for
 * the first walk, and as many for the second walk, which follows the segments that have changed. A piece is a group of
 * EULER_PIECE places of a chunk. If the last piece of a segment is not full, its slots are at the right end of the
 * piece. */
#include "euler_abi.h"
#include "euler_slots.clh"

/* FILL AND PAIR */

/* Initialises the bitmaps. starts: see euler_fill. some, full: a bit for each word of mark[]. coarse: a bit for several
 * words of mark[]. */
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

/* The slots of vertex v from cursor[v] on have been paired with in-edges; at first cursor[v] is the end of the row.
 * Slots are assigned from the last slot on. Edges that were generated together are adjacent among both in- and
 * out-edges, and assigning in the same order would close many small circuits. starts[] has a bit for the first slot of
 * each row. */
__kernel void euler_fill(__global const uint *begin, __global uint *cursor, __global uint *starts, uint vertices)
{
	for (each(uint, v, vertices)) {
		uint first = begin[v], end = begin[v + 1];
		cursor[v] = end;
		if (first < end)
			set_bit(starts, first);
	}
}

/* Pairs each edge with an out-edge of its target. The pairs depend on the order of the atomic decrements, but the
 * existence of an Euler circuit does not. At an unbalanced vertex the pairs are wrong, and euler_check detects it. */
__kernel void euler_pair(__global const uint *restrict target, __global uint *cursor, __global uint *restrict next,
                         uint edges)
{
	for (each(uint, e, edges))
		next[e] = atomic_dec(&cursor[target[e]]) - 1;
}

/* WALK */

/* Takes a further chunk for a segment. place: the distance of the chunk's first slot from the splitter. The pools are
 * interleaved: the k-th chunk of pool p is k * EULER_POOLS + p. */
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

/* The next changed segment of this work-item, beginning with s. */
static inline uint changed_from(__global const uchar *restrict changed, uint s, uint splitters)
{
	while (s < splitters && !changed[s])
		s += (uint)get_global_size(0);
	return s;
}

/* Walks from each splitter to the next. Writes the slots to chunks, and {length, next segment} to segments[]. If
 * `again` is set, only the segments that have changed are walked. */
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

/* Pointer doubling: list[s].x is the lowest number among the segments from s to the segment before list[s].y. Each
 * launch doubles the number of these segments. */

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

/* ORPHANS */

/* Sets sample[] to the segment of each slot in the sample. If there are orphans, it also sets a bit of visited[] for
 * each slot of a segment. */
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

/* If e is the lowest slot of its circuit, creates a node for the circuit and labels the slots of the circuit. */
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

/* Finds orphans among the slots that no walk has visited. */
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

/* RANK: list[s].x becomes the number of slots from the beginning of segment s to the end of the list. The list ends
 * before segment 0. */

__kernel void euler_list(__global const uint2 *restrict segments, __global uint2 *restrict list, uint splitters)
{
	for (each(uint, s, splitters)) {
		uint2 segment = segments[s];
		list[s] = (uint2)(segment.x, segment.y == 0 ? NONE : segment.y);
	}
}

/* EMIT: writes the order. Unchanged segments are read from the chunks of the first walk, and changed segments from the
 * chunks of the second walk. */

__kernel void euler_emit(CHUNK_PARAMETERS, __global const uchar *restrict changed, __global const uint2 *restrict list,
                         __global uint *restrict order, uint edges, uint closing, __global uint *counters)
{
	for (each_quads(q)) {
		quad x[TOGETHER];
		uint place[TOGETHER]; /* place in the order of slot[0], which may be empty; unused if the segment is NONE */
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

/* The source of the edge at each place is the target of the edge at the place before. */
__kernel void euler_sources(__global const uint *restrict target, __global const uint *restrict order,
                            __global uint *restrict source, uint edges)
{
	for (each(uint, i, edges))
		source[i] = target[order[i ? i - 1 : edges - 1]];
}
