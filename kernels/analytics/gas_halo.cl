/* gas_halo: the device's part of the halo exchange (src/analytics/halo/halo.h). It gathers values of own vertices into
 * messages, and scatters received messages to ghosts.
 *
 * The vertices that are sent to a rank are numbered by places, and so are the ghosts of a rank. 32 places form a word
 * of a bitmap. Option: HALO_SIZE bytes of a value, which are 0, 4 or 8. */
#if HALO_SIZE == 8
typedef ulong halo_value;
#else
typedef uint halo_value;
#endif

static inline uint halo_rank(__global const uint *restrict first, uint word)
{
	uint rank = 0;
	while (first[rank + 1] <= word)
		rank++;
	return rank;
}

/* Sets bits[w] to the changed places of word w. The words of rank r begin at first[r]. The kernel counts the changed
 * places of each rank, and lists up to `most` of them with their values, ready to be sent.
 *
 * few: two rows of counts, which launches use alternately, so each launch clears the row of the next launch. Behind the
 * counts lie `most` values for each rank except `self`, and then `most` places for each of these ranks. A group whose
 * words all belong to one rank counts in local memory first, so it needs one atomic addition to the counts. */
__kernel void gas_halo_mark(__global const uint *restrict slot, uint words, __global const uint *restrict changed,
                            __global uint *restrict bits, __global const uint *restrict first, uint ranks, uint self,
                            uint turn, volatile __global uint *few, uint most,
                            __global const halo_value *restrict values)
{
	__local uint total, begin;
	uint w = (uint)get_global_id(0), set = 0;
	uint lowest = (uint)(get_group_id(0) * get_local_size(0)), highest = min(lowest + (uint)get_local_size(0), words);
	volatile __global uint *counts = few + turn * ranks;
	volatile __global halo_value *listed = (volatile __global halo_value *)(few + 2 * ranks);
	volatile __global uint *places = few + 2 * ranks + (ulong)(ranks - 1) * most * (HALO_SIZE / 4);
	for (uint r = w; r < ranks; r += (uint)get_global_size(0))
		few[(1 - turn) * ranks + r] = 0;
	if (get_local_id(0) == 0)
		total = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (w < words) {
		for (uint i = 0; i < 32; i++) {
			uint v = slot[w * 32 + i];
			if (v != 0xffffffffu && (changed[v >> 5] >> (v & 31) & 1u))
				set |= 1u << i;
		}
		bits[w] = set;
	}
	uint rank = lowest < words ? halo_rank(first, lowest) : 0, at = 0;
	bool alone = lowest < words && first[rank + 1] >= highest;
	if (alone && set)
		at = atomic_add(&total, popcount(set));
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0 && total)
		begin = atomic_add(&counts[rank], total);
	barrier(CLK_LOCAL_MEM_FENCE);
	if (!set)
		return;
	rank = alone ? rank : halo_rank(first, w);
	at = alone ? begin + at : atomic_add(&counts[rank], popcount(set));
	ulong list = (ulong)(rank - (rank > self ? 1 : 0)) * most;
	for (; set && at < most; set &= set - 1, at++) {
		uint i = 31 - clz(set & -set);
		places[list + at] = (w - first[rank]) * 32 + i;
#if HALO_SIZE
		listed[list + at] = values[slot[w * 32 + i]];
#endif
	}
}

/* Gathers the values of the places whose bits are set. There is one work-item for each place. before[w]: the number of
 * values in the words before w. */
__kernel void gas_halo_gather(__global const uint *restrict slot, uint words, __global const uint *restrict bits,
                              __global const uint *restrict before, __global const halo_value *restrict values,
                              __global halo_value *restrict packed)
{
	uint place = (uint)get_global_id(0), w = place >> 5, bit = 1u << (place & 31);
	if (w >= words || !(bits[w] & bit))
		return;
	packed[before[w] + popcount(bits[w] & (bit - 1))] = values[slot[place]];
}

static inline void halo_arrive(volatile __global uint *arrived, uint wanted, uint ghost)
{
	if (wanted)
		atomic_or(&arrived[ghost >> 5], 1u << (ghost & 31));
}

/* Marks the ghosts first .. first + count - 1 as arrived. There is one work-item for each word. */
__kernel void gas_halo_set_all(uint first, uint count, __global uint *restrict arrived)
{
	uint w = (first >> 5) + (uint)get_global_id(0), begin = max(w * 32, first), end = min(w * 32 + 32, first + count);
	if (begin >= end)
		return;
	arrived[w] |= (end - begin == 32 ? 0xffffffffu : (1u << (end - begin)) - 1) << (begin & 31);
}

/* Scatters a message that consists of a bitmap of `places` bits from word bits_at on, and of values from word values_at
 * on. before[before_at + w]: the number of values in the words before w, counted from any base. */
__kernel void gas_halo_put_bits(__global const uint *restrict words, uint bits_at, uint values_at,
                                __global const uint *restrict before, uint before_at, uint first, uint places,
                                __global halo_value *restrict values, uint wanted, volatile __global uint *arrived)
{
	uint place = (uint)get_global_id(0), w = place >> 5, bit = 1u << (place & 31);
	if (place >= places || !(words[bits_at + w] & bit))
		return;
#if HALO_SIZE
	uint at = before[before_at + w] - before[before_at] + popcount(words[bits_at + w] & (bit - 1));
	values[first + place] = ((__global const halo_value *)(words + values_at))[at];
#endif
	halo_arrive(arrived, wanted, first + place);
}

/* Scatters a message that lists the numbers of `count` places and their values. */
__kernel void gas_halo_put_pairs(__global const uint *restrict words, uint places_at, uint values_at, uint count,
                                 uint first, __global halo_value *restrict values, uint wanted,
                                 volatile __global uint *arrived)
{
	uint i = (uint)get_global_id(0);
	if (i >= count)
		return;
	uint ghost = first + words[places_at + i];
#if HALO_SIZE
	values[ghost] = ((__global const halo_value *)(words + values_at))[i];
#endif
	halo_arrive(arrived, wanted, ghost);
}
