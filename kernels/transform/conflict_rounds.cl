/* choose: one round of the choice among matches that contend with one another (src/transform/conflicts/rounds.h): they enter at the
 * seats of their tokens, are judged there, and leave. A work-item takes live matches one after another.
 *
 * best[3 slot + touch] is the complement of the least priority of the undecided matches that touch the slot so: 0, with
 * which it begins, is none. chosen[slot] has a bit for each way in which chosen matches touch it. */
#include "conflict_rounds_abi.h"

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#ifdef cl_khr_int64_extended_atomics
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif

#define each_live(i) ulong i = get_global_id(0); i < count; i += get_global_size(0)
#define each_token(t, m) ulong t = begin[m], end_of_tokens = begin[(m) + 1]; t < end_of_tokens; t++
#define seat_of(token) ((token) >> 2)
#define touch_of(token) ((uint)(token) & 3)

/* Most come too late: they only look. */
static inline void choose_raise(volatile __global ulong *place, ulong value)
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

__kernel void choose_enter(__global const uint *live, uint count, __global const ulong *begin,
                           __global const ulong *tokens, __global const ulong *priority, volatile __global ulong *best)
{
	for (each_live(i)) {
		uint m = live[i];
		for (each_token(t, m))
			choose_raise(&best[CHOOSE_TOUCHES * seat_of(tokens[t]) + touch_of(tokens[t])], ~priority[m]);
	}
}

static inline uint choose_judge_seat(__global const ulong *best, uint chosen, uint touch, ulong mine)
{
	uint choice = CHOOSE_CHOSEN;
	for (uint other = 0; other < CHOOSE_TOUCHES; other++) {
		if (touch == other && touch != CHOOSE_WRITES)
			continue;
		if (chosen >> other & 1)
			return CHOOSE_LEFT_OUT;
		if (best[other] > mine)
			choice = CHOOSE_UNDECIDED;
	}
	return choice;
}

__kernel void choose_judge(__global const uint *live, uint count, __global const ulong *begin,
                           __global const ulong *tokens, __global const ulong *priority, __global const ulong *best,
                           __global const uint *chosen, __global uchar *choice)
{
	for (each_live(i)) {
		uint m = live[i], mine = CHOOSE_CHOSEN;
		for (each_token(t, m)) {
			ulong seat = seat_of(tokens[t]);
			uint here = choose_judge_seat(&best[CHOOSE_TOUCHES * seat], chosen[seat], touch_of(tokens[t]), ~priority[m]);
			mine = here == CHOOSE_CHOSEN ? mine : here;
			if (here == CHOOSE_LEFT_OUT)
				break;
		}
		choice[m] = (uchar)mine;
	}
}

/* Chosen matches stay at their seats; undecided ones clear them for the next round, in which they are live. */
__kernel void choose_leave(__global const uint *live, uint count, __global const ulong *begin,
                           __global const ulong *tokens, __global const uchar *choice, __global ulong *best,
                           volatile __global uint *chosen, __global uint *next, volatile __global uint *next_count)
{
	for (each_live(i)) {
		uint m = live[i];
		if (choice[m] == CHOOSE_LEFT_OUT)
			continue;
		for (each_token(t, m)) {
			ulong seat = seat_of(tokens[t]);
			if (choice[m] == CHOOSE_CHOSEN)
				atomic_or(&chosen[seat], 1u << touch_of(tokens[t]));
			for (uint touch = 0; touch < CHOOSE_TOUCHES && choice[m] == CHOOSE_UNDECIDED; touch++)
				best[CHOOSE_TOUCHES * seat + touch] = 0;
		}
		if (choice[m] == CHOOSE_UNDECIDED)
			next[atomic_inc(next_count)] = m;
	}
}
