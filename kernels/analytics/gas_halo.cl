/* gas_halo: the device's part of the halo exchange (src/analytics/halo/halo.h). One kernel packs the messages to all
 * ranks, and one kernel unpacks the messages from all ranks.
 *
 * The vertices that are sent to a rank are numbered by places, and so are the ghosts of a rank. 32 places form a word
 * of a bitmap, and HALO_GROUP words form a block. A work-group processes a block, and no block has words of two ranks.
 * Options: HALO_SIZE bytes of a value, which are 0, 4 or 8; HALO_APART: 1, or 2 if values are the upper halves of the
 * words of values[]; HALO_GROUP work-items of a group; HALO_CARRIED words of 64 bits that the kernels carry for the
 * caller. */
#if HALO_SIZE == 8
typedef ulong halo_value;
#else
typedef uint halo_value;
#endif

/* The place of a vertex's value in values[]. Devices are little-endian. */
#define halo_at(vertex) ((ulong)(vertex) * HALO_APART + HALO_APART - 1)

/* The forms of a message (halo_form of src/analytics/halo/halo.h). */
#define HALO_ALL 0
#define HALO_BITS 1

#define HALO_KERNEL __kernel __attribute__((reqd_work_group_size(HALO_GROUP, 1, 1)))

/* A rank with which messages are exchanged; parts are ordered by their first blocks.
 * x: its first block. y: outgoing: offset of its region; incoming: offset of its message, in words of 32 bits.
 * z: outgoing: its first word in slot[]; incoming: its first ghost. w: the number of places. */
typedef uint4 halo_part;

/* The part with the block. parts[count].x is the number of blocks. */
static inline uint halo_find(__global const halo_part *restrict parts, uint count, uint block)
{
	uint low = 0, high = count;
	while (high - low > 1) {
		uint middle = (low + high) / 2;
		if (parts[middle].x <= block)
			low = middle;
		else
			high = middle;
	}
	return low;
}

#define halo_words(places) (((places) + 31) / 32)
#define halo_blocks(places) ((halo_words(places) + HALO_GROUP - 1) / HALO_GROUP)
#define halo_even(words) (((words) + 1) / 2 * 2)

/* The words that precede the values in a region: the bitmap and the positions of the blocks' first values. */
#define halo_bit_words(places) halo_even(halo_words(places) + halo_blocks(places))

#if HALO_SIZE
/* Inclusive prefix sums over the group. All work-items call it. */
static inline void halo_scan(__local uint *sums)
{
	const uint item = (uint)get_local_id(0);
	for (uint step = 1; step < HALO_GROUP; step *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		const uint before = item >= step ? sums[item - step] : 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		sums[item] += before;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
}

/* The position of a place's value among the values of its block, or UINT_MAX if the place's bit is not set. i: the
 * number of the place within the block. */
static inline uint halo_position(__local const uint *bits, __local const uint *sums, uint i)
{
	const uint word = bits[i / 32], bit = 1u << i % 32;
	return word & bit ? sums[i / 32] - popcount(word) + popcount(word & (bit - 1)) : UINT_MAX;
}
#endif

/* The bits of the 32 places from `slot` on whose vertices have changed. Their vertices ascend, so neighbours often share
 * a word of `changed`. */
static inline uint halo_mark(__global const uint4 *restrict slot, __global const uint *restrict changed)
{
	uint set = 0, at = UINT_MAX, word = 0;
	for (uint i = 0; i < 8; i++) {
		const uint4 four = slot[i];
		const uint vertex[4] = { four.x, four.y, four.z, four.w };
		for (uint k = 0; k < 4; k++) {
			if (vertex[k] == UINT_MAX)
				return set;
			if (vertex[k] >> 5 != at) {
				at = vertex[k] >> 5;
				word = changed[at];
			}
			set |= (word >> (vertex[k] & 31) & 1u) << (i * 4 + k);
		}
	}
	return set;
}

/* Packs the messages to all ranks. slot: the vertex of each place; UINT_MAX behind the last place of a rank. Each rank
 * has a region in `regions`: the bitmap of its changed places, for each block the position of its first value, padding
 * to 8 bytes, and the values of the changed places. The order of the blocks' values varies.
 *
 * front: what the host reads in one transfer. First the HALO_CARRIED words of `carried`; then two rows of counts, the
 * number of changed places for each part, which launches use alternately, so each launch clears the row of the next
 * launch; then `most` values for each part, and then `most` places, ready to be sent if there are no more.
 *
 * If changed is NULL, all values are sent in the order of places, and nothing but the values is written. lead: 0, or
 * the number of words before the bits in `regions`, which is then a bitmap of gemp_halo_marks; the other words are
 * carried in this lead, and nothing is counted or listed. */
HALO_KERNEL void gas_halo_pack(__global const halo_part *restrict parts, uint count, __global const uint4 *restrict slot,
                               __global const uint *restrict changed, __global const halo_value *restrict values,
                               __global uint *restrict regions, __global const ulong *restrict carried,
                               uint carried_words, volatile __global uint *front, uint turn, uint most, uint lead)
{
	__local uint bits[HALO_GROUP], sums[HALO_GROUP];
	__local uint begin, total;
	const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
	volatile __global uint *counts = front + 2 * HALO_CARRIED;
	if (changed && group == 0) {
		for (uint i = item; i < carried_words; i += HALO_GROUP)
			((volatile __global ulong *)front)[i] = carried[i];
		for (uint i = item; i < count && !lead; i += HALO_GROUP)
			counts[(1 - turn) * count + i] = 0;
	}
	const uint p = halo_find(parts, count, group);
	const halo_part part = parts[p];
	const uint block = group - part.x, w = block * HALO_GROUP + item, words = halo_words(part.w);
	__global uint *region = regions + (lead ? lead + part.z : part.y);
#if HALO_SIZE
	__global halo_value *out = (__global halo_value *)(region + halo_bit_words(part.w));
	__global const uint *vertices = (__global const uint *)(slot + ((ulong)part.z + block * HALO_GROUP) * 8);
	if (!changed) {
		const uint first = block * HALO_GROUP * 32, last = min(first + HALO_GROUP * 32, part.w);
		for (uint i = item; first + i < last; i += HALO_GROUP)
			out[first + i] = values[halo_at(vertices[i])];
		return;
	}
#endif
	const uint set = w < words ? halo_mark(slot + ((ulong)part.z + w) * 8, changed) : 0;
	if (w < words)
		region[w] = set;
	if (lead)
		return;
	if (item == 0)
		total = 0;
	bits[item] = set;
	sums[item] = popcount(set);
	barrier(CLK_LOCAL_MEM_FENCE);
#if HALO_SIZE
	halo_scan(sums);
	uint at = sums[item] - popcount(set);
	if (item == HALO_GROUP - 1)
		total = sums[item];
#else
	uint at = set ? atomic_add(&total, popcount(set)) : 0;
#endif
	barrier(CLK_LOCAL_MEM_FENCE);
	if (item == 0) {
		begin = total ? atomic_add(&counts[turn * count + p], total) : 0;
#if HALO_SIZE
		region[words + block] = begin;
#endif
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	volatile __global halo_value *listed = (volatile __global halo_value *)(counts + halo_even(2 * count));
	volatile __global uint *places = counts + halo_even(2 * count) + (ulong)count * most * (HALO_SIZE / 4);
	at += begin;
	for (uint left = set; left && at < most; left &= left - 1, at++) {
		const uint i = 31 - clz(left & -left);
		places[(ulong)p * most + at] = w * 32 + i;
#if HALO_SIZE
		listed[(ulong)p * most + at] = values[halo_at(vertices[item * 32 + i])];
#endif
	}
#if HALO_SIZE
	for (uint i = item; total && i < HALO_GROUP * 32; i += HALO_GROUP) {
		const uint position = halo_position(bits, sums, i);
		if (position != UINT_MAX)
			out[begin + position] = values[halo_at(vertices[i])];
	}
#endif
}

/* Sets the bits of 32 ghosts from ghost `first` on. */
static inline void halo_arrive(volatile __global uint *arrived, uint first, uint bits)
{
	const uint shift = first & 31;
	if (bits << shift)
		atomic_or(&arrived[first >> 5], bits << shift);
	if (shift && bits >> (32 - shift))
		atomic_or(&arrived[(first >> 5) + 1], bits >> (32 - shift));
}

typedef struct halo_carried {
	ulong words[HALO_CARRIED];
} halo_carried;

/* Unpacks the messages from all ranks. The values of a HALO_ALL message are in their ghosts already, and of such a
 * message only the head is in `inbox`, unless HALO_APART is 2. arrived: gets the bits of the ghosts whose values have arrived; may be NULL. carried:
 * words that the host sends to `to`. */
HALO_KERNEL void gas_halo_unpack(__global const halo_part *restrict parts, uint count,
                                 __global const uint *restrict inbox, __global halo_value *restrict values,
                                 volatile __global uint *arrived, __global ulong *restrict to, uint carried_words,
                                 halo_carried carried)
{
#if HALO_SIZE
	__local uint bits[HALO_GROUP], sums[HALO_GROUP];
#endif
	const uint item = (uint)get_local_id(0), group = (uint)get_group_id(0);
	if (group == 0)
		for (uint i = item; i < carried_words; i += HALO_GROUP)
			to[i] = carried.words[i];
	if (!count)
		return;
	const halo_part part = parts[halo_find(parts, count, group)];
	const uint block = group - part.x, words = halo_words(part.w), w = block * HALO_GROUP + item;
	__global const uint *message = inbox + part.y;
	const uint form = message[0], changes = message[1];
	if (!changes) /* of an empty message only the head is in the inbox */
		return;
	message += 2;
	if (form != HALO_ALL && form != HALO_BITS) {
		for (uint i = w; i < changes; i += halo_blocks(part.w) * HALO_GROUP) {
			const uint place = message[i];
#if HALO_SIZE
			values[halo_at(part.z + place)] = ((__global const halo_value *)(message + halo_even(changes)))[i];
#endif
			if (arrived)
				halo_arrive(arrived, part.z + place, 1);
		}
		return;
	}
	uint set = 0;
	if (w < words)
		set = form == HALO_BITS ? message[w] : part.w - w * 32 < 32 ? (1u << (part.w - w * 32)) - 1 : UINT_MAX;
	if (arrived && set)
		halo_arrive(arrived, part.z + w * 32, set);
#if HALO_SIZE
	if (form == HALO_ALL) {
#if HALO_APART > 1
		const uint first = block * HALO_GROUP * 32, last = min(first + HALO_GROUP * 32, part.w);
		for (uint i = first + item; i < last; i += HALO_GROUP)
			values[halo_at(part.z + i)] = ((__global const halo_value *)message)[i];
#endif
		return;
	}
	bits[item] = set;
	sums[item] = popcount(set);
	halo_scan(sums);
	__global const halo_value *from = (__global const halo_value *)(message + halo_bit_words(part.w)) + message[words + block];
	for (uint i = item; i < HALO_GROUP * 32; i += HALO_GROUP) {
		const uint position = halo_position(bits, sums, i);
		if (position != UINT_MAX)
			values[halo_at(part.z + block * HALO_GROUP * 32 + i)] = from[position];
	}
#endif
}
