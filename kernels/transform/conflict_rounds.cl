/* conflict_rounds: one round of the conflict resolution (src/transform/conflicts/rounds.h), in three kernels. Undecided
 * matches enter their priorities into their slots, are evaluated there, and update the slots. A work-item takes
 * undecided matches one after another.
 *
 * best[3 * slot + access] is the complement of the smallest priority of the undecided matches with this access to the
 * slot. 0, the initial value, means that there is no such match. selected[slot] has a bit for each access of selected
 * matches. */
#include "conflict_rounds_abi.h"

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#define each_undecided(i) ulong i = get_global_id(0); i < count; i += get_global_size(0)
#define each_key(t, m) ulong t = begin[m], end_of_keys = begin[(m) + 1]; t < end_of_keys; t++
#define slot_of(key) ((key) >> 2)
#define access_of(key) ((uint)(key) & 3)

/* Takes an atomic maximum. The plain read before saves the atomic operation for values that are too small, which most
 * values are. */
static inline void conflict_raise(volatile __global ulong *place, ulong value)
{
	ulong there = *place;
#ifdef cl_khr_int64_extended_atomics
	if (there < value)
		atom_max(place, value);
#else
	while (there < value) {
		ulong before = atom_cmpxchg(place, there, value);
		if (before == there)
			return;
		there = before;
	}
#endif
}

__kernel void conflict_enter(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const ulong *priority, volatile __global ulong *best)
{
	for (each_undecided(i)) {
		uint m = undecided[i];
		for (each_key(t, m))
			conflict_raise(&best[CONFLICT_ACCESSES * slot_of(keys[t]) + access_of(keys[t])], ~priority[m]);
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

__kernel void conflict_evaluate(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const ulong *priority, __global const ulong *best,
                           __global const uint *selected, __global uchar *decision)
{
	for (each_undecided(i)) {
		uint m = undecided[i], mine = CONFLICT_SELECTED;
		for (each_key(t, m)) {
			ulong slot = slot_of(keys[t]);
			uint here = conflict_evaluate_slot(&best[CONFLICT_ACCESSES * slot], selected[slot], access_of(keys[t]),
			                                   ~priority[m]);
			mine = here == CONFLICT_SELECTED ? mine : here;
			if (here == CONFLICT_REJECTED)
				break;
		}
		decision[m] = (uchar)mine;
	}
}

/* Selected matches occupy their slots for all later rounds. Undecided matches clear the priorities in their slots and
 * enter their own again in the next round. */
__kernel void conflict_update(__global const uint *undecided, uint count, __global const ulong *begin,
                           __global const ulong *keys, __global const uchar *decision, __global ulong *best,
                           volatile __global uint *selected, __global uint *next, volatile __global uint *next_count)
{
	for (each_undecided(i)) {
		uint m = undecided[i];
		if (decision[m] == CONFLICT_REJECTED)
			continue;
		for (each_key(t, m)) {
			ulong slot = slot_of(keys[t]);
			if (decision[m] == CONFLICT_SELECTED)
				atomic_or(&selected[slot], 1u << access_of(keys[t]));
			for (uint access = 0; access < CONFLICT_ACCESSES && decision[m] == CONFLICT_UNDECIDED; access++)
				best[CONFLICT_ACCESSES * slot + access] = 0;
		}
		if (decision[m] == CONFLICT_UNDECIDED)
			next[atomic_inc(next_count)] = m;
	}
}
