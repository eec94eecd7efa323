/* conflict_slots: numbers the slots of a rank's conflict keys (src/transform/conflicts/device_slots.h). The slots are
 * first numbered by their entries in a hash table, and at the end from 0 on, where the slots that several ranks share
 * come first, in the order of their owners. */
#include "conflict.clh"

/* Replaces the slots of keys by the entries of a table, lists the taken entries, and notes how slots are accessed. */
__kernel void slots_claim(__global ulong *keys, uint count, volatile __global ulong *table, uint mask,
                          volatile __global uint *states, __global uint *entries, volatile __global uint *entry_count)
{
	for (each_of(i, count)) {
		bool claimed;
		uint access = access_of(keys[i]), at = conflict_claim(table, mask, slot_of(keys[i]), &claimed);
		if (claimed)
			entries[atomic_inc(entry_count)] = at;
		uint all = (1u << CONFLICT_ACCESSES) - 1, there = states[at];
		if (!(there & CONFLICT_TWICE && there & 1u << access)) {
			uint before = atomic_or(&states[at], 1u << access);
			if (before & all && !(before & CONFLICT_TWICE))
				atomic_or(&states[at], (uint)CONFLICT_TWICE);
		}
		keys[i] = (ulong)at << 2 | access;
	}
}

/* The high half of the hash chooses the owner, so the low half, which chooses the entry of a table, stays random. */
__kernel void slots_owners(__global const uint *entries, uint count, __global const ulong *table, uint ranks,
                           __global uint *owners)
{
	for (each_of(i, count))
		owners[i] = (uint)((conflict_mix(table[entries[i]] - 1) >> 32) * ranks >> 32);
}

__kernel void slots_messages(__global const uint *entries, uint count, __global const ulong *table,
                             __global const uint *states, __global ulong *messages)
{
	for (each_of(i, count))
		messages[i] = (table[entries[i]] - 1) << CONFLICT_STATE_BITS |
		              (states[entries[i]] & ((1u << CONFLICT_STATE_BITS) - 1));
}

__kernel void slots_set_states(__global const uint *entries, uint count, __global const uint *answers,
                               __global uint *states)
{
	for (each_of(i, count))
		states[entries[i]] = answers[i];
}

__kernel void slots_flag(__global const uint *answers, uint count, __global uint *flags)
{
	for (each_of(i, count))
		flags[i] = answers[i] != CONFLICT_NONE;
}

/* position[i]: number of shared slots before slot i, whose answer is its number at its owner. */
__kernel void slots_place(__global const uint *entries, uint count, __global const uint *answers,
                          __global const uint *position, __global uint *place, __global uint *owner_slot)
{
	for (each_of(i, count)) {
		bool shared = answers[i] != CONFLICT_NONE;
		place[entries[i]] = shared ? position[i] : position[count] + i - position[i];
		if (shared)
			owner_slot[position[i]] = answers[i];
	}
}

/* The same on a single rank, which shares no slot. */
__kernel void slots_place_all(__global const uint *entries, uint count, __global uint *place)
{
	for (each_of(i, count))
		place[entries[i]] = i;
}

__kernel void slots_rename(__global ulong *keys, uint count, __global const uint *place)
{
	for (each_of(i, count))
		keys[i] = (ulong)place[slot_of(keys[i])] << 2 | access_of(keys[i]);
}
