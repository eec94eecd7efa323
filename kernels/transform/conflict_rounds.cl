/* conflict_rounds: one round of the conflict resolution (src/transform/conflicts/rounds.h). Undecided matches enter
 * their priorities into their slots, are evaluated there, and leave the slots.
 *
 * best[3 * slot + access] is the complement of the smallest priority of the undecided matches with this access to the
 * slot. 0, the value between rounds, means that there is no such match. selected[slot] has a bit for each access of
 * selected matches.
 *
 * The first `shared` slots are decided by their owners. Between conflict_enter and conflict_evaluate, conflict_pack
 * sends them at most one message for each access, and conflict_unpack stores the answer in best[3 * slot + access]: the
 * largest complement among the undecided matches of all ranks that conflict with the access. */
#include "conflict.clh"

__kernel void conflict_enter(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const ulong *priority, uint shared,
                           volatile __global ulong *best, volatile __global uint *selected)
{
	for (each_of(i, count)) {
		uint m = undecided[i];
		for (each_key(t, m)) {
			ulong slot = slot_of(keys[t]);
			conflict_raise(&best[CONFLICT_ACCESSES * slot + access_of(keys[t])], ~priority[m]);
			if (~priority[m] == 0 && slot < shared)
				atomic_or(&selected[slot], 1u << (CONFLICT_LAST + access_of(keys[t])));
		}
	}
}

static inline uint conflict_evaluate_slot(__global const ulong *best, uint selected, uint access, ulong mine)
{
	uint decision = CONFLICT_SELECTED;
	for (uint other = 0; other < CONFLICT_ACCESSES; other++) {
		if (access == other && access != CONFLICT_WRITES)
			continue;
		if (selected >> other & 1)
			return CONFLICT_REJECTED;
		if (best[other] > mine)
			decision = CONFLICT_UNDECIDED;
	}
	return decision;
}

static inline uint conflict_evaluate_shared(__global const ulong *best, uint selected, uint access, ulong mine)
{
	if (selected >> (CONFLICT_BARRED + access) & 1)
		return CONFLICT_REJECTED;
	return best[access] > mine ? CONFLICT_UNDECIDED : CONFLICT_SELECTED;
}

__kernel void conflict_evaluate(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const ulong *priority, uint shared,
                           __global const ulong *best, __global const uint *selected, __global uchar *decision)
{
	for (each_of(i, count)) {
		uint m = undecided[i], mine = CONFLICT_SELECTED;
		for (each_key(t, m)) {
			ulong slot = slot_of(keys[t]);
			__global const ulong *here = best + CONFLICT_ACCESSES * slot;
			uint of_slot = slot < shared
				? conflict_evaluate_shared(here, selected[slot], access_of(keys[t]), ~priority[m])
				: conflict_evaluate_slot(here, selected[slot], access_of(keys[t]), ~priority[m]);
			mine = of_slot == CONFLICT_SELECTED ? mine : of_slot;
			if (of_slot == CONFLICT_REJECTED)
				break;
		}
		decision[m] = (uchar)mine;
	}
}

/* Selected matches occupy their slots for all later rounds. All matches clear the priorities in their slots; undecided
 * matches enter their own again in the next round. */
__kernel void conflict_update(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const uchar *decision, __global ulong *best,
                           volatile __global uint *selected, __global uint *next, volatile __global uint *next_count)
{
	for (each_of(i, count)) {
		uint m = undecided[i];
		for (each_key(t, m)) {
			ulong slot = slot_of(keys[t]);
			if (decision[m] == CONFLICT_SELECTED)
				conflict_set_bits(&selected[slot], 1u << access_of(keys[t]));
			for (uint access = 0; access < CONFLICT_ACCESSES; access++)
				best[CONFLICT_ACCESSES * slot + access] = 0;
		}
		if (decision[m] == CONFLICT_UNDECIDED)
			next[atomic_inc(next_count)] = m;
	}
}

/* MESSAGES TO THE OWNERS OF SHARED SLOTS */

/* The bits of selected matches of which the owner does not know. */
static inline uint conflict_untold(uint selected)
{
	return selected & ~(selected >> CONFLICT_TOLD) & ((1u << CONFLICT_ACCESSES) - 1);
}

/* Has an undecided match of this rank entered its priority? */
static inline bool conflict_entered(ulong best, uint selected, uint access)
{
	return best || selected >> (CONFLICT_LAST + access) & 1;
}

__kernel void conflict_count(__global const ulong *best, __global const uint *selected, uint shared,
                             __global uint *counts)
{
	for (each_of(slot, shared)) {
		uint count = conflict_untold(selected[slot]) != 0;
		for (uint access = 0; access < CONFLICT_ACCESSES; access++)
			count += conflict_entered(best[CONFLICT_ACCESSES * (ulong)slot + access], selected[slot], access);
		counts[slot] = count;
	}
}

/* bounds[r]: number of messages before those for rank r, whose slots begin at shared_begin[r]. */
__kernel void conflict_bounds(__global const uint *offsets, __global const uint *shared_begin, uint ends,
                              __global uint *bounds)
{
	for (each_of(r, ends))
		bounds[r] = offsets[shared_begin[r]];
}

static inline void conflict_write(__global uint *message, uint key, ulong value)
{
	message[0] = key;
	message[1] = (uint)value;
	message[2] = (uint)(value >> 32);
}

__kernel void conflict_pack(__global const ulong *best, __global uint *selected, uint shared,
                            __global const uint *offsets, __global const uint *owner_slot, __global uint *messages)
{
	for (each_of(slot, shared)) {
		__global uint *message = messages + (ulong)CONFLICT_WORDS * offsets[slot];
		uint untold = conflict_untold(selected[slot]);
		for (uint access = 0; access < CONFLICT_ACCESSES; access++) {
			ulong value = best[CONFLICT_ACCESSES * (ulong)slot + access];
			if (conflict_entered(value, selected[slot], access)) {
				conflict_write(message, owner_slot[slot] << 2 | access, value);
				message += CONFLICT_WORDS;
			}
		}
		if (untold) {
			conflict_write(message, owner_slot[slot] << 2 | CONFLICT_EVENT, untold);
			selected[slot] |= untold << CONFLICT_TOLD;
		}
	}
}

/* Answers have the order of the messages. */
__kernel void conflict_unpack(__global ulong *best, __global uint *selected, uint shared, __global const uint *offsets,
                              __global const uint *answers)
{
	for (each_of(slot, shared)) {
		__global const uint *answer = answers + (ulong)CONFLICT_WORDS * offsets[slot];
		for (uint access = 0; access < CONFLICT_ACCESSES; access++) {
			__global ulong *here = best + CONFLICT_ACCESSES * (ulong)slot + access;
			if (!conflict_entered(*here, selected[slot], access))
				continue;
			*here = (ulong)answer[1] << 32 | answer[0];
			if (answer[2])
				selected[slot] |= 1u << (CONFLICT_BARRED + access);
			answer += CONFLICT_WORDS;
		}
		if (selected[slot] >> CONFLICT_LAST)
			selected[slot] &= (1u << CONFLICT_LAST) - 1;
	}
}

/* BEFORE THE ROUNDS */

/* Selects the undecided matches whose slots are not contended, and counts the others. */
__kernel void conflict_uncontended(__global const ulong *begin, uint count, __global const ulong *keys,
                                   __global const uint *states, __global uchar *decision, volatile __global uint *left)
{
	uint waiting = 0;
	for (each_of(m, count)) {
		uint waits = 0;
		if (decision[m] != CONFLICT_UNDECIDED)
			continue;
		for (each_key(t, m))
			waits |= conflict_contended(states[slot_of(keys[t])]);
		if (!waits)
			decision[m] = CONFLICT_SELECTED;
		waiting += waits != 0;
	}
	if (waiting)
		atomic_add(left, waiting);
}
