/* euler_ranks: joins the slots of all ranks to one circuit on the devices of all ranks (src/euler/devices/engine.h).
 * Each device has the slots of its rank's vertices.
 *
 * A slot is {next, label, distance, source}. next: the slot that follows, numbered over all ranks. label: 0 until a
 * walker has passed; then 1 + the number of the splitter where the walker began, or for a splitter IS_SPLITTER + its
 * index among the splitters of this rank. distance: the number of slots from that splitter. source: the source vertex of
 * the edge. Splitter k of rank r has the number k * ranks + r.
 *
 * What a kernel sends to other ranks it writes as records {a, b, c, rank} to stage[]; the rank is NONE if there is
 * nothing to send. ranks_count and ranks_group then order the records by rank. Bounds have an element for each rank and
 * one more. */
#include "euler_abi.h"
#include "euler_sets.clh"

#define IS_SPLITTER 0x80000000u
enum { NEXT, LABEL, DISTANCE, SOURCE, MEMBERS };
#define member(slots, x, which) (((__global uint *)(slots))[(size_t)(x) * MEMBERS + (which)])

/* The range r with bounds[r] <= value < bounds[r + 1]. */
static inline uint range_of(__global const uint *restrict bounds, uint count, uint value)
{
	uint low = 0;
	while (count - low > 1) {
		uint middle = low + (count - low) / 2;
		if (bounds[middle] <= value)
			low = middle;
		else
			count = middle;
	}
	return low;
}

/* Reserves `wanted` elements behind *counter for each work-item of the group, with one atomic addition for the group.
 * All work-items of the group call it together. */
static inline uint reserve(uint wanted, __local uint *sums, __global uint *counter)
{
	if (get_local_id(0) == 0)
		sums[0] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint before = wanted ? atomic_add(&sums[0], wanted) : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		sums[1] = sums[0] ? atomic_add(counter, sums[0]) : 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	return sums[1] + before;
}

/* Work-items of a group stay together, since they meet at barriers. i may be at or behind `count`. */
#define each_together(base, i, count)                                                            \
	size_t base = get_group_id(0) * get_local_size(0), i = base + get_local_id(0); base < (count); \
	base += get_global_size(0), i += get_global_size(0)

/* RECORDS */

/* Adds the number of records for each rank to totals[]. */
__kernel void ranks_count(__global const uint4 *restrict stage, uint count, uint ranks, __global uint *totals,
                          __local uint *table)
{
	for (uint r = (uint)get_local_id(0); r < ranks; r += (uint)get_local_size(0))
		table[r] = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (each(uint, i, count))
		if (stage[i].w != NONE)
			atomic_inc(&table[stage[i].w]);
	barrier(CLK_LOCAL_MEM_FENCE);
	for (uint r = (uint)get_local_id(0); r < ranks; r += (uint)get_local_size(0))
		if (table[r])
			atomic_add(&totals[r], table[r]);
}

/* Writes the first `words` words of the records in the order of their ranks. cursors: where the next record of each rank
 * is written. With `tagged`, b is not sent but kept in tags[], at the place of its record. */
__kernel void ranks_group(__global const uint4 *restrict stage, uint count, uint ranks, __global uint *cursors,
                          __global uint *restrict out, uint words, __global uint *restrict tags, uint tagged,
                          __local uint *table)
{
	for (each_together(base, i, count)) {
		uint4 record = i < count ? stage[i] : (uint4)(NONE);
		uint before = 0;
		for (uint r = (uint)get_local_id(0); r < ranks; r += (uint)get_local_size(0))
			table[r] = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (record.w != NONE)
			before = atomic_inc(&table[record.w]);
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint r = (uint)get_local_id(0); r < ranks; r += (uint)get_local_size(0))
			table[ranks + r] = table[r] ? atomic_add(&cursors[r], table[r]) : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (record.w == NONE)
			continue;
		size_t place = table[ranks + record.w] + before, at = place * words;
		out[at] = record.x;
		if (words > 1)
			out[at + 1] = record.y;
		if (words > 2)
			out[at + 2] = record.z;
		if (tagged)
			tags[place] = record.y;
	}
}

/* FILL AND PAIR */

/* The slots of vertex v from cursor[v] on have been paired with in-edges (euler_fill of euler.cl). */
__kernel void ranks_cursors(__global const uint *restrict begin, __global uint *restrict cursor, uint rows)
{
	for (each(uint, v, rows))
		cursor[v] = begin[v + 1];
}

__kernel void ranks_fill(__global const uint *restrict begin, uint rows, uint first_vertex,
                         __global uint4 *restrict slots, uint own)
{
	for (each(uint, x, own))
		slots[x] = (uint4)(NONE, 0, 0, first_vertex + range_of(begin, rows, x));
}

/* Pairs each edge of a round with an out-edge of its target, if this rank owns the target. Otherwise the target's owner
 * is asked for one. */
__kernel void ranks_pair(__global const uint *restrict target, uint begin, uint count,
                         __global const uint *restrict vertex_bounds, uint ranks, uint rank, __global uint *cursor,
                         uint first, __global uint4 *slots, __global uint4 *restrict stage)
{
	for (each(uint, i, count)) {
		uint x = begin + i, vertex = target[x], owner = range_of(vertex_bounds, ranks, vertex);
		vertex -= vertex_bounds[owner];
		if (owner == rank)
			member(slots, x, NEXT) = first + atomic_dec(&cursor[vertex]) - 1;
		stage[i] = (uint4)(vertex, x, 0, owner == rank ? NONE : owner);
	}
}

/* Answers the requests for out-edges of own vertices. */
__kernel void ranks_answer(__global const uint *restrict vertices, uint count, __global uint *cursor, uint first,
                           __global uint *restrict answers)
{
	for (each(uint, i, count))
		answers[i] = first + atomic_dec(&cursor[vertices[i]]) - 1;
}

__kernel void ranks_link(__global const uint *restrict tags, __global const uint *restrict answers, uint count,
                         __global uint4 *slots)
{
	for (each(uint, i, count))
		member(slots, tags[i], NEXT) = answers[i];
}

/* PAIR BY COUNTS, if vertices have many edges: a rank sends the number of its edges to each vertex of all ranks */

__kernel void ranks_tally(__global const uint *restrict target, uint own, __global uint *tally)
{
	for (each(uint, x, own))
		atomic_inc(&tally[target[x]]);
}

/* tallies[s * rows + v]: the number of edges of rank s to own vertex v. It becomes the end of the slots that these edges
 * take. A vertex is balanced if the edges of all ranks take all of its slots. */
__kernel void ranks_divide(__global const uint *restrict begin, uint rows, uint ranks, uint first,
                           __global uint *restrict tallies, __global uint *counters)
{
	__local uint sum;
	uint wrong = 0;
	for (each(uint, v, rows)) {
		uint end = begin[v + 1];
		for (uint s = 0; s < ranks; s++) {
			size_t at = (size_t)s * rows + v;
			uint count = tallies[at];
			tallies[at] = first + end;
			end -= count;
		}
		wrong += end != begin[v];
	}
	add_up(wrong, &sum, &counters[EULER_UNBALANCED]);
}

/* Slots are assigned from the last on (euler_fill of euler.cl). */
__kernel void ranks_assign(__global const uint *restrict target, uint own, __global uint *ends, __global uint4 *slots)
{
	for (each(uint, x, own))
		member(slots, x, NEXT) = atomic_dec(&ends[target[x]]) - 1;
}

/* SPLITTERS */

static inline uint is_chosen(__global const uint4 *slots, uint x, uint first, uint spacing, uint salt)
{
	return member(slots, x, LABEL) == 0 && scramble((first + x) ^ salt) % spacing == 0;
}

/* Counts the slots without a label, and those of them that become splitters. */
__kernel void ranks_unlabelled(__global const uint4 *slots, uint own, uint first, uint spacing, uint salt,
                               __global uint *counters)
{
	__local uint sum;
	uint unlabelled = 0, chosen = 0;
	for (each(uint, x, own)) {
		unlabelled += member(slots, x, LABEL) == 0;
		chosen += is_chosen(slots, x, first, spacing, salt);
	}
	add_up(unlabelled, &sum, &counters[EULER_UNLABELLED]);
	barrier(CLK_LOCAL_MEM_FENCE);
	add_up(chosen, &sum, &counters[EULER_CHOSEN]);
}

/* counters[EULER_SPLITTERS]: the number of splitters of this rank so far. */
__kernel void ranks_choose(__global uint4 *slots, uint own, uint first, uint spacing, uint salt,
                           __global uint *restrict splitter, __global uint *counters)
{
	__local uint sums[2];
	for (each_together(base, x, own)) {
		uint chosen = x < own ? is_chosen(slots, (uint)x, first, spacing, salt) : 0;
		uint k = reserve(chosen, sums, &counters[EULER_SPLITTERS]);
		if (chosen) {
			splitter[k] = (uint)x;
			member(slots, x, LABEL) = IS_SPLITTER | k;
		}
	}
}

/* WALK */

/* A walker as it is sent: {slot of that rank, label, distance}, or if slot_bits is not 0, the same three numbers in two
 * words. EULER_DISTANCE_BITS are for the distance, and the label has the bits between. If a number does not fit,
 * counters[EULER_OVERFLOW] is set, and the host starts again with three words. */
static inline uint4 walker_record(uint next, uint label, uint distance, __global const uint *restrict slot_bounds,
                                  uint ranks, uint slot_bits, __global uint *counters)
{
	uint owner = range_of(slot_bounds, ranks, next), slot = next - slot_bounds[owner];
	if (!slot_bits)
		return (uint4)(slot, label, distance, owner);
	if (distance >> EULER_DISTANCE_BITS || (ulong)label >> (64 - EULER_DISTANCE_BITS - slot_bits))
		counters[EULER_OVERFLOW] = 1;
	ulong packed = (ulong)distance << (64 - EULER_DISTANCE_BITS) |
	               (((ulong)label << slot_bits) & (~0ul >> EULER_DISTANCE_BITS)) | slot;
	return (uint4)((uint)packed, (uint)(packed >> 32), 0, owner);
}

/* {slot, label, distance} of a walker that has arrived. */
static inline uint3 walker_at(__global const uint *restrict inbox, uint i, uint slot_bits)
{
	if (!slot_bits)
		return (uint3)(inbox[(size_t)i * 3], inbox[(size_t)i * 3 + 1], inbox[(size_t)i * 3 + 2]);
	ulong packed = (ulong)inbox[(size_t)i * 2 + 1] << 32 | inbox[(size_t)i * 2];
	return (uint3)((uint)(packed & ((1ul << slot_bits) - 1)), (uint)(packed << EULER_DISTANCE_BITS >> EULER_DISTANCE_BITS >> slot_bits),
	               (uint)(packed >> (64 - EULER_DISTANCE_BITS)));
}

/* Walkers advance until they reach a splitter, where segments[k] becomes {number of the splitter where the walker
 * began, distance}, or leave for another rank. The first `arrivals` walkers came from other ranks; the others begin at
 * splitter from, from + 1, ..., or at these places of starts[] if `listed` is set. With `joined` set, a successor is
 * rotated by its owner when a walker arrives there. */
__kernel void ranks_walk(__global uint4 *slots, uint own, uint first, __global const uint *restrict slot_bounds,
                         uint ranks, uint rank, __global const uint *restrict splitter, __global uint2 *segments,
                         __global const uint *restrict inbox, uint arrivals, __global const uint *restrict starts,
                         uint listed, uint from, uint walkers, __global const uint *restrict mark,
                         __global const uint *restrict some, __global const uint *restrict full, uint joined,
                         uint slot_bits, __global uint *counters, __global uint4 *restrict stage)
{
	for (each(uint, i, walkers)) {
		uint x, next = 0, label, distance;
		if (i < arrivals) {
			uint3 walker = walker_at(inbox, i, slot_bits);
			x = walker.x;
			label = walker.y;
			distance = walker.z;
		} else {
			uint k = from + i - arrivals;
			k = listed ? starts[k] : k;
			label = k * ranks + rank + 1;
			distance = 1;
			next = member(slots, splitter[k], NEXT);
			x = next - first;
		}
		stage[i] = (uint4)(NONE);
		while (x < own) {
			x = joined ? rotated(mark, some, full, x, own) : x;
			uint here = member(slots, x, LABEL);
			if (here & IS_SPLITTER) {
				segments[here & ~IS_SPLITTER] = (uint2)(label - 1, distance);
				break;
			}
			next = member(slots, x, NEXT);
			member(slots, x, LABEL) = label;
			member(slots, x, DISTANCE) = distance++;
			x = next - first;
		}
		if (x >= own)
			stage[i] = walker_record(next, label, distance, slot_bounds, ranks, slot_bits, counters);
	}
}

/* THE LIST OF ALL SEGMENTS, which every device gets. Segment k of rank r has the index segment_bounds[r] + k. Links lead
 * backwards: from the splitter where a walk ended to the splitter where it began. */

static inline uint index_of(uint number, __global const uint *restrict segment_bounds, uint ranks)
{
	return segment_bounds[number % ranks] + number / ranks;
}

/* The index of the segment in which a slot with this label lies. */
static inline uint segment_of(uint label, __global const uint *restrict segment_bounds, uint ranks, uint rank)
{
	return label & IS_SPLITTER ? segment_bounds[rank] + (label & ~IS_SPLITTER)
	                           : index_of(label - 1, segment_bounds, ranks);
}

/* Writes a copy of this rank's segments for each rank. */
__kernel void ranks_copies(__global const uint2 *restrict segments, uint count, uint ranks, __global uint2 *restrict out)
{
	for (each(ulong, i, (ulong)count * ranks))
		out[i] = segments[i % count];
}

#include "euler_ranks_list.clh"
#include "euler_ranks_join.clh"

/* PLACES */

/* Sends the slots of a round to the ranks that own their places, as {place, slot, source}. The place is shifted so that
 * the fixed slot gets its place; places from `edges` on are left out (the closing edge of a path). */
__kernel void ranks_place(__global const uint4 *restrict slots, uint begin, uint count, uint first,
                          __global const uint *restrict segment_bounds, uint ranks, uint rank,
                          __global const uint2 *restrict values, uint total, uint shift, uint edges,
                          __global const uint *restrict place_bounds, __global uint4 *restrict stage)
{
	for (each(uint, i, count)) {
		uint4 slot = slots[begin + i];
		uint place = values[segment_of(slot.y, segment_bounds, ranks, rank)].x + shift;
		place += slot.y & IS_SPLITTER ? 0 : slot.z;
		place -= place >= total ? total : 0;
		uint owner = place < edges ? range_of(place_bounds, ranks, place) : NONE;
		stage[i] = (uint4)(owner == NONE ? 0 : place - place_bounds[owner], first + begin + i, slot.w, owner);
	}
}

__kernel void ranks_order(__global const uint *restrict records, uint count, uint words, __global uint *restrict order,
                          __global uint *restrict source)
{
	for (each(uint, i, count)) {
		size_t at = (size_t)i * words;
		order[records[at]] = records[at + 1];
		if (words > 2)
			source[records[at]] = records[at + 2];
	}
}
