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

#define NONE (~0u)
#define SPACING (1u << EULER_SPACING_BITS)
#define bit_of(bits, i) ((bits)[(i) >> 5] >> ((i) & 31) & 1)
#define set_bit(bits, i) atomic_or(&(bits)[(i) >> 5], 1u << ((i) & 31))
#define each(type, i, count) type i = (type)get_global_id(0); i < (count); i += (type)get_global_size(0)

static inline uint scramble(uint x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

/* The slot of splitter s. */
static inline uint splitter_at(uint s, uint edges, uint seed)
{
	uint first = s << EULER_SPACING_BITS, hash = scramble(s ^ seed);
	return first + (edges - first < SPACING ? hash % (edges - first) : hash & (SPACING - 1));
}

static inline int is_splitter(uint slot, uint edges, uint seed)
{
	return splitter_at(slot >> EULER_SPACING_BITS, edges, seed) == slot;
}

/* Every work-item calls it once, at its end: what they count is added up in their group first. */
static inline void add_up(uint count, __local uint *sum, __global uint *counter)
{
	if (get_local_id(0) == 0)
		*sum = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (count)
		atomic_add(sum, count);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0 && *sum)
		atomic_add(counter, *sum);
}

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

#define CHUNK_PARAMETERS __global const uint *restrict chunks, __global const uint2 *restrict owner,               \
	__global const uint2 *restrict segments, uint splitters, ulong entries, uint room

/* Of which segment chunk c is, and how many slots after its splitter it begins; segment NONE: nobody has taken it. */
static inline uint2 owner_of(uint c, __global const uint2 *restrict owner, uint splitters, uint room,
                             __global const uint *counters)
{
	if (c < splitters)
		return (uint2)(c, 0);
	c -= splitters;
	uint k = c / EULER_POOLS, pool = c % EULER_POOLS;
	if (k >= room) {
		k -= room;
		pool += EULER_POOLS;
	}
	return k < counters[EULER_TAKEN + pool] ? owner[c] : (uint2)(NONE, 0);
}

/* Was the chunk taken by the first walk? */
static inline int is_older(uint c, uint splitters, uint room)
{
	return c >= splitters && c - splitters < room * EULER_POOLS;
}

/* Four neighbouring places of a chunk: slot[i], for i from `first` on, is base + i slots after the splitter of its
 * segment. segment NONE: they hold none. */
typedef struct quad {
	uint segment, length, base, first, slot[4];
} quad;

#define QUADS (EULER_CHUNK / 4)
#define each_slot(i, x) uint i = (x).first; i < 4; i++

static inline quad quad_of(uint2 whose, uint length, uint q, uint4 slots)
{
	quad x = { whose.x, length, 0, 4, { slots.x, slots.y, slots.z, slots.w } };
	uint part = length - length % EULER_PIECE;   /* from here on the last piece, if it is not whole */
	uint gap = (uint)-(int)length % EULER_PIECE; /* before its slots */
	uint at = whose.y + q % QUADS * 4;
	if (at < part) {
		x.base = at;
		x.first = 0;
	} else if (at < length + gap && at - part + 4 > gap) {
		x.base = at - gap;
		x.first = at - part < gap ? gap - (at - part) : 0;
	} else {
		x.segment = NONE;
	}
	return x;
}

#define CHUNKS chunks, owner, segments, splitters, entries, room

/* Quads that are a launch apart from one another, so that their reads are under way together. */
#ifdef GEMP_GPU
#define TOGETHER 2
#else
#define TOGETHER 1
#endif
#define each_quads(q) ulong q = get_global_id(0); q < entries / 4; q += TOGETHER * (ulong)get_global_size(0)

static inline void read_quads(quad *x, ulong q, CHUNK_PARAMETERS, __global const uint *counters)
{
	uint2 whose[TOGETHER];
	uint4 slots[TOGETHER];
#pragma unroll
	for (uint i = 0; i < TOGETHER; i++) {
		ulong at = q + i * (ulong)get_global_size(0);
		whose[i] = at < entries / 4 ? owner_of((uint)(at / QUADS), owner, splitters, room, counters) : (uint2)(NONE, 0);
		slots[i] = at < entries / 4 ? ((__global const uint4 *)chunks)[at] : (uint4)(0);
	}
#pragma unroll
	for (uint i = 0; i < TOGETHER; i++)
		x[i] = quad_of(whose[i], whose[i].x == NONE ? 0 : segments[whose[i].x].x,
		               (uint)((q + i * (ulong)get_global_size(0)) % QUADS), slots[i]);
}

/* Bitmaps, byte by byte: where few bits are of interest, that passes by the others. */
#define byte_of(bits, b) ((bits)[(b) >> 2] >> ((b) & 3) * 8 & 255)
#define each_byte(b) each(uint, b, edges / 8 + 1)
#define each_bit(bit, byte) uint left = (byte), bit = lowest(left); left; left &= left - 1, bit = lowest(left)

/* Anything if there is none. */
static inline uint lowest(uint bits)
{
	return popcount((bits & -bits) - 1) & 31;
}

/* Those bits of byte b that are slots. */
static inline uint inside(uint b, uint edges)
{
	return b < edges / 8 ? 255 : (1u << edges % 8) - 1;
}

/* UNION-FIND. A parent is never greater than its child. */

static inline uint find(volatile __global uint *parent, uint x)
{
	uint y = parent[x];
	while (y != x) {
		uint z = parent[y];
		if (z != y)
			parent[x] = z;
		x = y;
		y = z;
	}
	return x;
}

/* 1 if they were apart. */
static inline uint unite(volatile __global uint *parent, uint x, uint y)
{
	x = find(parent, x);
	y = find(parent, y);
	while (x != y) {
		uint high = max(x, y), low = min(x, y);
		if (atomic_cmpxchg(&parent[high], high, low) == high)
			return 1;
		x = find(parent, x);
		y = find(parent, y);
	}
	return 0;
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

/* UNION. mark: a bit for slots whose circuit was joined there with that of the slot before. */

/* root[]: of the nodes as they are now. */
__kernel void euler_roots(volatile __global uint *parent, __global uint *restrict root, uint splitters,
                          __global const uint *counters)
{
	uint nodes = splitters + counters[EULER_ORPHANS];
	for (each(uint, x, nodes))
		root[x] = find(parent, x);
}

/* Of every step-th block of the sample. */
__kernel void euler_sample(__global const uint *restrict sample, uint count, uint step,
                           __global const uint *restrict root, volatile __global uint *parent,
                           __global const uint *restrict starts, __global uint *mark,
                           __global uint *counters)
{
	__local uint sum;
	uint joins = 0;
	for (each(uint, i, count)) {
		uint block = i / EULER_SAMPLED, e = block * EULER_SAMPLED * EULER_SAMPLE + i % EULER_SAMPLED;
		if (block % step || i % EULER_SAMPLED == 0 || sample[i] == NONE || sample[i - 1] == NONE || bit_of(starts, e))
			continue;
		uint x = root[sample[i - 1]], y = root[sample[i]];
		if (x != y && unite(parent, x, y)) {
			set_bit(mark, e);
			joins++;
		}
	}
	add_up(joins, &sum, &counters[EULER_JOINS]);
}

/* The root that most of a few segments have (Boyer and Moore); any would be right. One work-item. */
__kernel void euler_giant(__global const uint *restrict root, uint splitters, __global uint *counters)
{
	uint giant = root[0];
	int votes = 0;
	for (uint i = 0; i < 8; i++) {
		uint r = root[scramble(i) % splitters];
		if (votes == 0)
			giant = r;
		votes += r == giant ? 1 : -1;
	}
	counters[EULER_GIANT] = giant;
}

/* Labels of all that is not in the giant component: of whole chunks, as few are not. */
__kernel void euler_label(CHUNK_PARAMETERS, __global const uint *restrict root, __global uint *restrict label,
                          __global uint *labelled, __global const uint *counters)
{
	uint giant = counters[EULER_GIANT];
	for (each(uint, c, (uint)(entries / EULER_CHUNK))) {
		uint2 whose = owner_of(c, owner, splitters, room, counters);
		if (whose.x == NONE || root[whose.x] == giant)
			continue;
		for (uint q = 0; q < QUADS; q++) {
			quad x = quad_of(whose, segments[whose.x].x, q, ((__global const uint4 *)chunks)[(ulong)c * QUADS + q]);
			for (each_slot(i, x)) {
				label[x.slot[i]] = whose.x;
				set_bit(labelled, x.slot[i]);
			}
		}
	}
}

__kernel void euler_unite(__global const uint *restrict label, __global const uint *restrict labelled,
                          __global const uint *restrict root, volatile __global uint *parent,
                          __global const uint *restrict starts, __global uint *mark, uint edges,
                          __global uint *counters)
{
	__local uint sum;
	uint joins = 0, giant = counters[EULER_GIANT];
	for (each_byte(b)) {
		uint here = byte_of(labelled, b), before = here << 1 | (b ? bit_of(labelled, b * 8 - 1) : 0);
		for (each_bit(bit, (here | before) & ~byte_of(starts, b) & inside(b, edges))) { /* slot 0 starts a row */
			uint e = b * 8 + bit, x = before >> bit & 1 ? root[label[e - 1]] : giant;
			uint y = here >> bit & 1 ? root[label[e]] : giant;
			if (x != y && unite(parent, x, y)) {
				set_bit(mark, e);
				joins++;
			}
		}
	}
	add_up(joins, &sum, &counters[EULER_JOINS]);
}

/* ROTATE. A run of marked slots and the slot before it: its in-edges pass their successors on by one. Circuits of a run
 * are all different, since each mark joined two components, so that they become one. */

/* A bit for each word of mark[]. some: slots of the word have new successors, so that a small table tells of nearly all
 * that they have not. full: it is all marks, so that long runs are gone back along by 1,024 slots. coarse: some[], a
 * bit for 2^shift words: each group has the whole table at hand. */
__kernel void euler_words(__global const uint *restrict mark, uint words, __global uint *some, __global uint *full,
                          __global uint *coarse, uint shift)
{
	for (each(uint, w, words)) {
		uint word = mark[w];
		if (word | (w + 1 < words ? mark[w + 1] & 1 : 0)) {
			set_bit(some, w);
			set_bit(coarse, w >> shift);
		}
		if (word == ~0u)
			set_bit(full, w);
	}
}

/* The last word before w, or w, of which the bit in full[] is not set. There is one: slot 0 has no mark. */
static inline uint word_back(__global const uint *restrict full, uint w)
{
	uint clear = ~full[w >> 5] & (~0u >> (31 - (w & 31)));
	for (w >>= 5; !clear; clear = ~full[w])
		w--;
	return (w << 5) + 31 - clz(clear);
}

/* The slot before the run that slot is in. */
static inline uint run_start(__global const uint *restrict mark, __global const uint *restrict full, uint slot)
{
	uint w = slot >> 5, clear = ~mark[w] & (~0u >> (31 - (slot & 31)));
	if (!clear) {
		w = word_back(full, w - 1);
		clear = ~mark[w];
	}
	return (w << 5) + 31 - clz(clear);
}

static inline uint rotated(__global const uint *restrict mark, __global const uint *restrict some,
                           __global const uint *restrict full, uint slot, uint edges)
{
	if (!bit_of(some, slot >> 5))
		return slot;
	uint word = mark[slot >> 5], at = slot & 31;
	uint after = at < 31 ? word >> (at + 1) & 1 : slot + 1 < edges ? bit_of(mark, slot + 1) : 0;
	if (after)
		return slot + 1;
	return word >> at & 1 ? run_start(mark, full, slot) : slot;
}

/* The slot that follows the last one of quad q: in the chunk, where that has it. */
static inline uint following(const quad *x, ulong q, __global const uint *chunks, __global const uint *next)
{
	uint offset = x->base + 4, part = x->length - x->length % EULER_PIECE;
	if (offset == x->length || q % QUADS == QUADS - 1)
		return next[x->slot[3]];
	return chunks[q * 4 + 4 + (offset == part ? (uint)-(int)x->length % EULER_PIECE : 0)];
}

/* changed: segments to be walked again. */
__kernel void euler_rotate(CHUNK_PARAMETERS, __global uint *next, __global const uint *restrict mark,
                           __global const uint *restrict some, __global const uint *restrict full,
                           __global const uint *restrict coarse, uint shift, __global uchar *changed, uint edges,
                           __global const uint *counters)
{
	__local uint table[EULER_COARSE / 32];
	for (uint i = (uint)get_local_id(0); i <= (edges - 1) >> (shift + 10); i += (uint)get_local_size(0))
		table[i] = coarse[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (each_quads(q)) {
		quad x[TOGETHER];
		uint last[TOGETHER];
		read_quads(x, q, CHUNKS, counters);
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++)
			last[i] = x[i].segment == NONE ? 0 : following(&x[i], q + i * (ulong)get_global_size(0), chunks, next);
#pragma unroll
		for (uint i = 0; i < TOGETHER; i++) {
			if (x[i].segment == NONE)
				continue;
#pragma unroll
			for (uint k = 0; k < 4; k++) {
				uint from = k < 3 ? x[i].slot[k + 1] : last[i];
				if (k < x[i].first || !bit_of(table, from >> (shift + 5)))
					continue;
				uint to = rotated(mark, some, full, from, edges);
				if (to != from) {
					next[x[i].slot[k]] = to;
					changed[x[i].segment] = 1;
				}
			}
		}
	}
}

__kernel void euler_rotate_orphans(__global const uint *restrict visited, __global uint *next,
                                   __global const uint *restrict mark, __global const uint *restrict some,
                                   __global const uint *restrict full, uint edges, __global const uint *counters)
{
	if (counters[EULER_ALONG] == edges)
		return;
	for (each_byte(b))
		for (each_bit(bit, ~byte_of(visited, b) & inside(b, edges))) {
			uint e = b * 8 + bit, from = next[e], to = rotated(mark, some, full, from, edges);
			if (to != from)
				next[e] = to;
		}
}

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
