/* conflict_owners: what the owner of slots does with the messages of all ranks. Before the rounds, a message is a slot
 * with the bits of its state (slots_messages). In a round, messages are those of conflict_pack. */
#include "conflict.clh"

/* Replaces the messages by entries of the owner's table, and joins the states of the ranks, each of which sends a slot
 * once. */
__kernel void owners_join(__global ulong *messages, uint count, volatile __global ulong *table, uint mask,
                          volatile __global uint *states)
{
	for (each_of(i, count)) {
		bool claimed;
		uint bits = ((uint)messages[i] & ((1u << CONFLICT_STATE_BITS) - 1)) | CONFLICT_SEEN;
		uint at = conflict_claim(table, mask, messages[i] >> CONFLICT_STATE_BITS, &claimed);
		if (atomic_or(&states[at], bits) & CONFLICT_SEEN)
			conflict_set_bits(&states[at], CONFLICT_TWICE | CONFLICT_SHARED);
		messages[i] = at;
	}
}

__kernel void owners_answer_states(__global const ulong *entries, uint count, __global const uint *states,
                                   __global uint *answers)
{
	for (each_of(i, count))
		answers[i] = states[entries[i]];
}

/* Matches of one rank, and matches that cannot conflict, are decided without the owner. */
static inline uint owners_decides(uint state)
{
	return state & CONFLICT_SHARED && conflict_contended(state);
}

__kernel void owners_flag(__global const uint *states, uint count, __global uint *flags)
{
	for (each_of(i, count))
		flags[i] = owners_decides(states[i]) != 0;
}

__kernel void owners_answer_numbers(__global const ulong *entries, uint count, __global const uint *states,
                                    __global const uint *number, __global uint *answers)
{
	for (each_of(i, count))
		answers[i] = owners_decides(states[entries[i]]) ? number[entries[i]] : CONFLICT_NONE;
}

/* ROUNDS */

#define value_of(words) ((ulong)(words)[2] << 32 | (words)[1])

__kernel void owners_enter(__global const uint *messages, uint count, volatile __global ulong *best,
                           volatile __global uint *selected)
{
	for (each_of(i, count)) {
		__global const uint *m = messages + (ulong)CONFLICT_WORDS * i;
		if (access_of(m[0]) == CONFLICT_EVENT)
			conflict_set_bits(&selected[slot_of(m[0])], m[1]);
		else
			conflict_raise(&best[CONFLICT_ACCESSES * (ulong)slot_of(m[0]) + access_of(m[0])], value_of(m));
	}
}

__kernel void owners_answer(__global const uint *messages, uint count, __global const ulong *best,
                            __global const uint *selected, __global uint *answers)
{
	for (each_of(i, count)) {
		uint key = messages[(ulong)CONFLICT_WORDS * i], access = access_of(key), barred = 0;
		ulong largest = 0;
		for (uint other = 0; other < CONFLICT_ACCESSES && access != CONFLICT_EVENT; other++) {
			if (access == other && access != CONFLICT_WRITES)
				continue;
			barred |= selected[slot_of(key)] >> other & 1;
			largest = max(largest, best[CONFLICT_ACCESSES * (ulong)slot_of(key) + other]);
		}
		answers[(ulong)CONFLICT_WORDS * i] = (uint)largest;
		answers[(ulong)CONFLICT_WORDS * i + 1] = (uint)(largest >> 32);
		answers[(ulong)CONFLICT_WORDS * i + 2] = barred;
	}
}

/* Undecided matches enter their priorities again in the next round. */
__kernel void owners_clear(__global const uint *messages, uint count, __global ulong *best)
{
	for (each_of(i, count)) {
		uint key = messages[(ulong)CONFLICT_WORDS * i];
		if (access_of(key) != CONFLICT_EVENT)
			best[CONFLICT_ACCESSES * (ulong)slot_of(key) + access_of(key)] = 0;
	}
}
